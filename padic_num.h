// padic_num.h: exact p-adic numbers for padic.h, whole arrays at a time.
// Include it instead of padic.h, which it includes. Part of padic.h 0.1.0; MIT or Unlicense.
//
// >>start
//
// In ONE C or C++ file write `#define PADIC_IMPLEMENTATION` before the include; everywhere else
// just include. A complete program, `cc -O2 fractions.c -lm`:
//
//     #define PADIC_IMPLEMENTATION
//     #include "padic_num.h"
//     #include <stdio.h>
//
//     int main(void)
//     {
//         // 1/3 and 22/7 in Q_5 with 20 digits, added exactly and read back as a fraction.
//         padic_num_ring ring;
//         padic_result result = padic_num_ring_init(&ring, 5, 20, NULL);
//         int64_t numerator[2] = {1, 22}, denominator[2] = {3, 7};
//         padic_num_array x, y;
//         static uint64_t memory[2][128];
//         if (!result) result = padic_num_place(&x, &ring, PADIC_NUM_FLOAT, 2, memory[0], 1024);
//         if (!result) result = padic_num_place(&y, &ring, PADIC_NUM_FLOAT, 1, memory[1], 1024);
//
//         padic_num_from_rational_desc from = PADIC_ZERO;
//         from.out = x;
//         from.numerator = padic_tensor_1d(PADIC_I64, numerator, 2);
//         from.denominator = padic_tensor_1d(PADIC_I64, denominator, 2);
//         if (!result) result = padic_num_from_rational(NULL, &from);
//         if (!result) result = padic_num_sum(NULL, &y, &x);
//
//         padic_num_to_rational_desc to = PADIC_ZERO;
//         to.in = y;
//         to.numerator = padic_tensor_1d(PADIC_I64, numerator, 1);
//         to.denominator = padic_tensor_1d(PADIC_I64, denominator, 1);
//         if (!result) result = padic_num_to_rational(NULL, &to);
//         if (result) return puts(padic_result_text(result)), 1;
//         printf("1/3 + 22/7 = %d/%d\n", (int)numerator[0], (int)denominator[0]); // 73/21
//         return 0;
//     }
//
// >>contents: search for the tag
//
//     >>num API           rings, arrays, specials; valuation, metric, arithmetic
//     >>convert API       integers, fractions, floats, digits, text, bytes
//     >>series API        roots, Hensel lifting, exp, log, Teichmueller
//     >>exact API         precision, change of prime, rational reconstruction, solve, det
//     >>channels API      logarithmic levels, IEEE fields, digest of a set, gradients
//     >>tree API          the ultrametric tree: neighbours, balls, clusters; self hash
//     >>kernel API        what backends/padic_simd.h may replace
//     >>num impl >>arith impl >>convert impl >>series impl >>exact impl
//     >>channels impl >>tree impl                    the implementation, in the same order
//
// Sparse matrices of them are in padic_sparse.h, which this header includes; PADIC_NO_SPARSE leaves
// them out.
//
// Everything is D0, the same bytes on every machine, thread count and backend, except where a
// comment says D1 (float products of sparse matrices).

#ifndef PADIC_NUM_H
#define PADIC_NUM_H

#include "padic.h"

#ifdef __cplusplus
extern "C" {
#endif

// room: src/num/api.h
// ------------------------------------------------------------------------------------ >>num API
//
// A p-adic number is x = p^v u: p a prime, v its valuation, u its unit, known to N digits, that is
// modulo P = p^N. |x| = p^-v. A ring fixes p and N for a whole array; an array is a set of planes
// in the caller's memory; an operation works on all its elements. Nothing here allocates.
//
// Three models of precision:
//
//     RING   plane u         the ring Z/p^N; u in [0, P). Sums in any order give the same bits
//     FLOAT  planes v, u     p^v u, relative precision N, untracked; u in (0, P), p divides it not.
//                            Not associative: (1 + p^N) - 1 = 0, but (1 - 1) + p^N = p^N
//     BALL   planes v, u, n  p^v u + O(p^(v+n)), 1 <= n <= N, 0 < u < p^n: contains the true value;
//                            or O(p^v), with u = n = 0
//
// The ball that an operation gives has the digits on which the results of all numbers in its
// operands agree, N of them at most: no more and no fewer. Operands are taken for independent, one
// array in two places too: mul(a, a) knows less than square(a) where p = 2. It may have fewer where
// a comment says so: horner, hensel, and roots of which the digits do not tell whether they exist.
//
// Stored residues are canonical, so every correct algorithm gives the same bits.

// How residues are stored and computed with; chosen by P, not by p.
typedef enum padic_num_form {
    PADIC_NUM_B2 = 1,   // p = 2, N <= 64: u32 (N <= 32) or u64
    PADIC_NUM_W32 = 2,  // P < 2^32: u32
    PADIC_NUM_W49 = 3,  // P < 2^49: u64
    PADIC_NUM_W64 = 4,  // P < 2^64: u64
    PADIC_NUM_W128 = 5, // P < 2^127: u64, shape (2, count), the plane of low words first
    PADIC_NUM_RX = 6    // any N, p < 2^49: limbs of base p^e, shape (tiles of 32, limbs, 32)
} padic_num_form;

typedef enum padic_num_model {
    PADIC_NUM_RING = 0,
    PADIC_NUM_FLOAT = 1,
    PADIC_NUM_BALL = 2
} padic_num_model;

#define PADIC_NUM_MAX_PRECISION 65535u
#define PADIC_NUM_MAX_BITS 65536u // of P

// What a ring may be asked for beyond p and N. All zero: the smallest form.
typedef struct padic_num_ring_options {
    padic_num_form form; // this one, if P fits; never a smaller one than needed (PRECISION)
    uint32_t limb32;     // 1: RX keeps limbs below 2^32 as u32 (p < 2^32), as GPUs like them
} padic_num_ring_options;

// Immutable once made; plain bytes without pointers to itself, copied freely. Its fields are for
// reading. Two rings are the same if p, precision, form and limb size are.
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

// Errors: PRIME (p is not), PRECISION (N = 0 or above 65,535, P above 65,536 bits, a form that does
// not hold P), LIMIT (p >= 2^63, or p >= 2^49 where P >= 2^127). `options` may be NULL. On failure
// the ring is zeroed.
PADIC_API padic_result padic_num_ring_init(padic_num_ring *ring, uint64_t p, uint32_t precision,
                                           const padic_num_ring_options *options);
// The same for any radix b >= 2 (ARGUMENT below), for digits, print and parse only.
PADIC_API padic_result padic_num_ring_init_radix(padic_num_ring *ring, uint64_t b,
                                                 uint32_t precision,
                                                 const padic_num_ring_options *options);
// 1 for a prime: the strong pseudoprime test to the twelve prime bases up to 37, which is proven
// for every 64-bit integer (Sorenson, Webster 2015).
PADIC_API int padic_num_is_prime(uint64_t n);

// Specials of the plane `val`. I32 planes hold them as they stand, I16 planes as below.
#define PADIC_NUM_ZERO INT32_MAX // exactly 0, u = 0
#define PADIC_NUM_NAN INT32_MIN  // no number; u is the status byte that made it
#define PADIC_NUM_ZERO16 32767
#define PADIC_NUM_NAN16 (-32768)
#define PADIC_NUM_MAX_VALUATION (INT32_C(1) << 29) // of finite elements, either sign
#define PADIC_NUM_MAX_VALUATION16 16383
// A valuation above the limit becomes ZERO with INEXACT, one below it NaN with RANGE.

// What happened to an element: its byte in `status`, or-ed into *sticky. Bits 1 to 32 are hard: the
// result is NaN (RING: 0). An operation that raises one with neither plane nor sticky word to say
// so ends with DOMAIN, every element done.
typedef enum padic_num_status {
    PADIC_NUM_DIV0 = 1,      // inverse of or quotient by zero
    PADIC_NUM_NONUNIT = 2,   // RING: inverse of a non-unit, a negative valuation
    PADIC_NUM_NOPOWER = 4,   // not an n-th power
    PADIC_NUM_OUTSIDE = 8,   // DOMAIN of exp, log, Hensel; Inf, NaN; v < 0 where an integer is due
    PADIC_NUM_RATREC = 16,   // no fraction within the bounds
    PADIC_NUM_RANGE = 32,    // valuation below -2^29, or the output's type is too narrow
    PADIC_NUM_PRECLOSS = 64, // FLOAT cancelled to 0; BALL without a digit; RING: digits filled by 0
    PADIC_NUM_INEXACT = 128  // rounded, or the sign of -0 lost
} padic_num_status;
#define PADIC_NUM_HARD 63u

// Planes, all dense, one element each (see padic_num_form for `unit` of W128 and RX): all of a call
// in host memory, or all in buffers of its context. In a device's memory the bytes that come out
// are the same, and a call returns at once, unless it has to wait for what it reports: `sticky`, or
// a hard bit with neither status plane nor sticky word. What the device cannot do is done on the
// host with copies (counted in padic_stats; NOT_SUPPORTED in a strict context): rings of more than
// 64 bits or composite radix, integers as planes of words, roots with p > 65,537 that are more than
// 32,768, I16 valuations or U16 precisions beside others; in a recording also what takes a table of
// the ring (roots, exp, log, norms, fractions but the plain ones, changes of the prime, floats for
// odd p) or reports (all roots of polynomials). Text, bytes, get, set, check, valuation_of, all
// roots of numbers in rings of more than 64 bits and trees want host memory.
typedef struct padic_num_array {
    const padic_num_ring *ring;
    padic_num_model model;
    uint64_t count;
    padic_tensor unit;
    padic_tensor val;    // FLOAT, BALL: I32 or I16
    padic_tensor known;  // BALL: n, U8 (N <= 255) or U16
    padic_tensor status; // U8; optional, written by every operation
    uint32_t *sticky;    // optional
    void *scratch;       // RX only: work space of operations that write this array,
    size_t scratch_size; // padic_num_scratch_bound() bytes for each thread
    padic_tensor sticky_word; // U32, one element; optional: as *sticky, in memory like the planes
} padic_num_array;

// Bytes that padic_num_place() needs; 0 if they make no sense or overflow.
PADIC_API size_t padic_num_array_bound(const padic_num_ring *ring, padic_num_model model,
                                       uint64_t count);
// Lays the planes of an array (I32 valuations, a status plane, RX scratch for one thread) into one
// block of memory, 64-byte aligned and padded to 64 elements. The block is not written.
// Errors: ARGUMENT, CAPACITY.
PADIC_API padic_result padic_num_place(padic_num_array *array, const padic_num_ring *ring,
                                       padic_num_model model, uint64_t count, void *memory,
                                       size_t size);
// The same in a buffer, from byte `at` on (a multiple of 64): padic_num_array_bound() bytes do.
// Whether the buffer has them is seen by the calls. RX: scratch is for the caller to add.
PADIC_API padic_result padic_num_place_buffer(padic_num_array *array, const padic_num_ring *ring,
                                              padic_num_model model, uint64_t count,
                                              padic_buffer buffer, uint64_t at);
// Scratch of one thread for any element-wise operation in this ring; 0 up to W128.
PADIC_API size_t padic_num_scratch_bound(const padic_num_ring *ring);

// One number, up to W128: RING ignores v and n, FLOAT ignores n. NOT_SUPPORTED for RX, REGION for
// an index beyond the array.
typedef struct padic_num_value {
    int32_t v;
    uint32_t n;
    uint64_t u[2]; // low word first
} padic_num_value;
PADIC_API padic_result padic_num_get(const padic_num_array *array, uint64_t index,
                                     padic_num_value *value);
// DOMAIN if the value is not canonical.
PADIC_API padic_result padic_num_set(const padic_num_array *array, uint64_t index,
                                     const padic_num_value *value);
// Whether every element is canonical: u < P, p does not divide u, u < p^n, v and n in range,
// specials as documented. CORRUPT, and *bad (may be NULL) is the first that is not.
PADIC_API padic_result padic_num_check(padic_context *context, const padic_num_array *array,
                                       uint64_t *bad);

// In the operations below an operand of count 1 serves all elements of `out`. `out` may be exactly
// an operand (the same planes); partial overlap is OVERLAP. Common errors: ARGUMENT (ring, plane or
// pointer missing), DTYPE (of a plane), RING (ring, model), MISMATCH (count), CAPACITY (scratch),
// ALIGNMENT (a plane, sticky or scratch whose address does not suit its words), DOMAIN (see
// padic_num_status), NOT_SUPPORTED (composite radix; buffers where host memory is wanted). Planes
// partly in host memory, partly on a device: ARGUMENT. Count 0 is OK.
//
// What is trusted: that pointers, extents and rings are what they say, and that elements are
// canonical (padic_num_check() looks). Where they are not, the results at these elements, of sums
// and blocks that share an inversion also at others, are unspecified, but nothing outside the
// planes is read or written, nothing traps, and every call returns: precisions above N count as N,
// valuations beyond the limits as ZERO or NaN, units and digits never lead out of a table.

// Valuation and metric. `val` is I32, `norm` F32 or F64, each of them optional but one.
// valuation: v; ZERO for 0, never 0 itself. O(p^a): a, PRECLOSS. NaN: NAN.
// norm: p^-v correctly rounded; 0 for 0; overflow is Inf with RANGE.
typedef struct padic_num_valuation_desc {
    padic_num_array in, other; // `other` with a ring: of in - other, so that norm is the distance
    padic_tensor val, norm;
    padic_tensor status;       // as in an array
    uint32_t *sticky;
} padic_num_valuation_desc;
PADIC_API padic_result padic_num_valuation(padic_context *context,
                                           const padic_num_valuation_desc *desc);
// Valuations of raw integers (I8 .. U64), or of numerator / denominator (may be NULL): v_p(0) is
// ZERO; a denominator 0 gives NAN there, and DOMAIN in the end.
PADIC_API padic_result padic_num_valuation_of(padic_context *context, const padic_num_ring *ring,
                                              const padic_tensor *val,
                                              const padic_tensor *numerator,
                                              const padic_tensor *denominator);
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

// room: src/num/convert.h
// ------------------------------------------------------------------------------- >>convert API
//
// Integers, fractions, floats, digits, text and bytes to numbers and back. Tensors are dense. An
// integer tensor is I8 .. I64 or U8 .. U64 with one element for each number; or U64 of shape
// (limbs, count): words of two's complement, the plane of the low words first, so that (2, count)
// is i128; at most 64 limbs, or 7 for each word of a long ring if those are more: LIMIT. Where
// numbers are read, `status` and `sticky` of the desc get the bits of each element, and the RX
// scratch is that of `in`; else those of `out`. The common errors of >>num API hold.

// out = the integers: RING mod P, negative ones their true complement; FLOAT, BALL p^v u with all
// N digits of u, 0 is ZERO. No element fails.
typedef struct padic_num_from_int_desc {
    padic_num_array out;
    padic_tensor in;
} padic_num_from_int_desc;
PADIC_API padic_result padic_num_from_int(padic_context *context,
                                          const padic_num_from_int_desc *desc);

typedef enum padic_num_int_mode {
    PADIC_NUM_LEAST = 0,   // of u: [0, P)
    PADIC_NUM_BALANCED = 1 // |u| < P / 2; p = 2: two's complement, [-P / 2, P / 2)
} padic_num_int_mode;

// out = p^v u, u the least or the balanced residue mod P (BALL: mod p^n). Where there is none, 0
// and OUTSIDE (v < 0), RANGE (too wide for `out`), or the status of a NaN. O(p^a), a >= 0: 0,
// PRECLOSS.
typedef struct padic_num_to_int_desc {
    padic_num_array in;
    padic_tensor out; // an integer tensor
    padic_num_int_mode mode;
    padic_tensor status; // U8, optional
    uint32_t *sticky;
} padic_num_to_int_desc;
PADIC_API padic_result padic_num_to_int(padic_context *context, const padic_num_to_int_desc *desc);

// out = numerator / denominator, any signs: v = v(n) - v(d), u = n' d'^-1 mod P, p stripped from
// both. Integer tensors of one dtype and shape. d = 0: NaN (RING 0) with DIV0; RING, v < 0: 0 with
// NONUNIT.
typedef struct padic_num_from_rational_desc {
    padic_num_array out;
    padic_tensor numerator, denominator;
} padic_num_from_rational_desc;
PADIC_API padic_result padic_num_from_rational(padic_context *context,
                                               const padic_num_from_rational_desc *desc);

// A float is m 2^e exactly, m odd or 0; never a decimal or a limited fraction.
typedef enum padic_num_float_mode {
    PADIC_NUM_DIRECT = 0, // x itself, m 2^e as a p-adic number
    PADIC_NUM_SPLIT = 1,  // m as an integer, e in an I16 plane (0: m = e = 0). Lossless if P is at
                          // least 2^9, 2^12, 2^25, 2^54 for bf16, f16, f32, f64, at any p
    PADIC_NUM_SCALED = 2  // the integer nearest to x 2^scale, ties to even; |error| at most half
                          // of 2^-scale
} padic_num_float_mode;

// Inf, NaN: OUTSIDE. -0: zero with INEXACT. SCALED: INEXACT if rounded, RANGE if the integer is not
// below P / 2. DIRECT in a RING, p = 2: NONUNIT if x is no integer.
typedef struct padic_num_from_float_desc {
    padic_num_array out;
    padic_tensor in; // F16, BF16, F32, F64
    padic_num_float_mode mode;
    int32_t scale;         // SCALED; keep it with the data. |scale| <= 2^20, else LIMIT
    padic_tensor exponent; // SPLIT: I16, written
} padic_num_from_float_desc;
PADIC_API padic_result padic_num_from_float(padic_context *context,
                                            const padic_num_from_float_desc *desc);

// The inverse, correctly rounded, ties to even. SPLIT, SCALED: p^v u (balanced, v >= 0, else
// OUTSIDE) times 2^e, 2^-scale. DIRECT, p = 2: u 2^v, u balanced. DIRECT, odd p: the fraction of
// padic_num_to_rational() with its defaults (RATREC if there is none). INEXACT if rounded, RANGE
// and an infinity if too large, or if p^v u exceeds 2^4000. Where there is no result: NaN.
typedef struct padic_num_to_float_desc {
    padic_num_array in;
    padic_tensor out; // F16, BF16, F32, F64
    padic_num_float_mode mode;
    int32_t scale;
    padic_tensor exponent; // SPLIT: I16
    padic_tensor status;   // U8, optional
    uint32_t *sticky;
} padic_num_to_float_desc;
PADIC_API padic_result padic_num_to_float(padic_context *context,
                                          const padic_num_to_float_desc *desc);

typedef enum padic_num_digit_kind {
    PADIC_NUM_STANDARD = 0,       // u = sum d_i p^i, d_i in [0, p)
    PADIC_NUM_BALANCED_DIGITS = 1, // d_i in (-p / 2, p / 2]; p = 2: as STANDARD
    PADIC_NUM_TEICHMUELLER = 2    // u = sum w(d_i) p^i, w(d) the Teichmueller lift of d in [0, p)
} padic_num_digit_kind;

typedef enum padic_num_layout {
    PADIC_NUM_PLANES = 0, // shape (N, count): all d_0, then all d_1, ...
    PADIC_NUM_ROWS = 1    // shape (count, N)
} padic_num_layout;

// The N digits of u, mod P, and back. U8 .. U64, I8 .. I64 for BALANCED_DIGITS; a type that cannot
// hold all digits (p = 257 needs 16 bits) is ARGUMENT. v and n of FLOAT and BALL go into `val` and
// `known` (optional), and come from there (missing: v = 0, n = N); NaN has its status byte mod P
// for u. From digits: one out of range makes its element NaN (RING 0) with OUTSIDE; the number is
// made canonical. A radix that is not a prime: RING, not TEICHMUELLER.
typedef struct padic_num_to_digits_desc {
    padic_num_array in;
    padic_tensor digits;
    padic_num_digit_kind kind;
    padic_num_layout layout;
    padic_tensor val;   // I32
    padic_tensor known; // U8 or U16
    padic_tensor status;
    uint32_t *sticky;
} padic_num_to_digits_desc;
PADIC_API padic_result padic_num_to_digits(padic_context *context,
                                           const padic_num_to_digits_desc *desc);
typedef struct padic_num_from_digits_desc {
    padic_num_array out;
    padic_tensor digits;
    padic_num_digit_kind kind;
    padic_num_layout layout;
    padic_tensor val, known;
} padic_num_from_digits_desc;
PADIC_API padic_result padic_num_from_digits(padic_context *context,
                                             const padic_num_from_digits_desc *desc);

// out[i] = floor(P w / 2^s), uniform in [0, P) but for 2^-64: w are the s = 128 B bits, B least
// with s >= bits(P) + 64, of the Philox blocks B i to B i + B - 1 of (seed, stream), the first
// lowest (block k has step k / 2^32). The same numbers in every form. FLOAT, BALL: that integer,
// known mod P.
typedef struct padic_num_random_desc {
    padic_num_array out;
    uint64_t seed, stream;
    uint64_t first; // i of the first element; below 2^48
} padic_num_random_desc;
PADIC_API padic_result padic_num_random(padic_context *context, const padic_num_random_desc *desc);

// The least N that brings back every
typedef enum padic_num_fit {
    PADIC_NUM_FIT_INTEGER = 0,  // integer |x| <= bound, balanced: P > 2 bound
    PADIC_NUM_FIT_FRACTION = 1, // |n| <= bound, 0 < d <= bound2, with one guard digit:
                                // P > 2 p bound bound2
    PADIC_NUM_FIT_FLOAT = 2     // float of dtype `bound`, SPLIT (p = 2: DIRECT, too)
} padic_num_fit;
// PRIME, ARGUMENT, DTYPE; bound2 is for fractions. `precision` becomes 0 on failure.
PADIC_API padic_result padic_num_ring_fit(uint64_t p, padic_num_fit kind, uint64_t bound,
                                          uint64_t bound2, uint32_t *precision);

// Text of one number; no locale, no float on the way, and parsing gives it back bit by bit.
typedef enum padic_num_text {
    PADIC_NUM_TEXT_VALUE = 0, // RING "12345 mod 257^6"; FLOAT "12345 * 257^-2", "12345" (v = 0);
                              // BALL "12345 * 257^-2 + O(257^4)", "O(257^4)"; "0"; "nan(DIV0)"
    PADIC_NUM_TEXT_DIGITS = 1 // "...4 2 0 (5)", "...4 2 0 (5) * 5^-2": the N (BALL: n) digits of u,
                              // the highest first; specials as above
} padic_num_text;
// Bytes that padic_num_print() needs at most, with its final 0. 0 for a bad ring or style.
PADIC_API size_t padic_num_print_bound(const padic_num_ring *ring, padic_num_text style);
// *size (may be NULL): the length without the 0; with CAPACITY the capacity needed. REGION: an
// index beyond the array.
PADIC_API padic_result padic_num_print(const padic_num_array *in, uint64_t index,
                                       padic_num_text style, char *text, size_t capacity,
                                       size_t *size);
// Takes what print writes, and -7/3, -12.375, 1e-3 as the exact fractions they are, each with
// "* p^v", "mod p^N" (RING), "+ O(p^a)" (BALL); spaces anywhere between; at most 1,200 decimal
// digits, or 130 for each word of a long ring. CORRUPT: *bad (may be NULL) is the offset of the
// first bad byte. DOMAIN: another prime, precision or model; or the element has no result (1/0)
// and `out` no way to say so. With a radix that is not a prime: integers and digits.
PADIC_API padic_result padic_num_parse(const padic_num_array *out, uint64_t index, const char *text,
                                       size_t size, size_t *bad);

// Bytes, the same for every form and machine. Little-endian: "PDN", version 1, u8 model, u8 planes
// (1 u, 2 v, 4 n), u16 0, u64 p, u64 count, u32 N, u32 0, u64 checksum of the 32 bytes before it.
// Then blocks of 65,536 elements, the last one shorter: u32 size of the payload; the units,
// ceil(bits(P - 1) / 8) bytes each; v as zigzag varints; n, one byte each (N > 255: two); u64
// checksum of size and payload.
typedef struct padic_num_header {
    padic_num_model model;
    uint32_t precision;
    uint64_t p, count;
} padic_num_header;
// 0 if it overflows.
PADIC_API size_t padic_num_write_bound(const padic_num_array *array);
// *size is the bytes written; with CAPACITY (less than the bound, and too little) a size that is
// enough. CORRUPT: an element is not canonical.
PADIC_API padic_result padic_num_write(padic_context *context, const padic_num_array *array,
                                       void *data, size_t capacity, size_t *size);
// What a stream holds, to make a ring and an array for it.
PADIC_API padic_result padic_num_read_header(const void *data, size_t size,
                                             padic_num_header *header);
// Any bytes are safe: sizes, checksums and every element are checked before anything is written.
// CORRUPT, CHECKSUM, VERSION; RING (prime, precision, model), MISMATCH (fewer elements), CAPACITY
// (more elements than `out` has), LIMIT (a valuation that I16 cannot hold).
PADIC_API padic_result padic_num_read(padic_context *context, const padic_num_array *out,
                                      const void *data, size_t size);

// room: src/num/series.h
// --------------------------------------------------------------------------------- >>series API
//
// Roots, exp, log, Teichmueller residues, roots of polynomials: digits that are proven, not
// iterated until they look right.

// Tables in the caller's memory that make some operations of a ring faster, never different: seeds
// of inverses and square roots and the Teichmueller residues where p <= 65,537, coefficients of exp
// and log up to W128. `bound` is 0 where there is nothing to table. Copies of the
// ring made before do not have them; the memory (8-byte aligned) stays with the caller, as long as
// the ring is used. Errors: ARGUMENT, NOT_SUPPORTED (composite radix), CAPACITY.
PADIC_API size_t padic_num_ring_tables_bound(const padic_num_ring *ring);
PADIC_API padic_result padic_num_ring_tables(padic_num_ring *ring, void *memory, size_t size);

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
// MISMATCH, CAPACITY (scratch below padic_num_hensel_bound(), 8-byte aligned; with seeds 0: RX uses
// out.scratch). A coefficient that is no integer: every root OUTSIDE, found 0.
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
    void *scratch;
    size_t scratch_size;
} padic_num_hensel_desc;
PADIC_API size_t padic_num_hensel_bound(const padic_num_hensel_desc *desc);
PADIC_API padic_result padic_num_hensel(padic_context *context, const padic_num_hensel_desc *desc);

// room: src/num/exact.h
// ------------------------------------------------------------------------------- >>exact API

// The same numbers with another precision: the rings of out and in have one prime and any N and
// form, the arrays one model. N' < N: u mod p^N', the low digits stay. N' > N: the old digits;
// RING and FLOAT fill with 0 (PRECLOSS), BALL keeps n. Never in place (OVERLAP).
// RX here: the scratch of `out`, or else of `in`: padic_num_scratch_bound() of the larger ring,
// which one of two placed arrays has.
PADIC_API padic_result padic_num_set_precision(padic_context *context, const padic_num_array *out,
                                               const padic_num_array *in);
// The same rational numbers in Q_q, q the prime of out's ring: each element is reconstructed as
// padic_num_to_rational() does with its defaults and encoded with all digits of out. The models may
// differ. No fraction: NaN (RING: 0) with RATREC; RING with q in the denominator: NONUNIT. Each
// array keeps its own ring. Never in place; scratch as above.
PADIC_API padic_result padic_num_change_prime(padic_context *context, const padic_num_array *out,
                                              const padic_num_array *in);

// Rational reconstruction: x = p^v u to n / d in lowest terms, d > 0. Euclid's algorithm on
// (p^N, u), from the row u / 1 on, to the first remainder r <= Nmax, where t u = r mod p^N: r / t
// is accepted if |t| <= Dmax and p does not divide t, and multiplied by p^v in integers. It is the
// only such fraction, since 2 Nmax Dmax < p^(N - g) is asked for.
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

#define PADIC_NUM_NO_GUARD UINT32_MAX

// Nmax and Dmax, low word first: if one is 0 it is the largest that the other leaves, if both are,
// both are floor(sqrt((p^(N - g) - 1) / 2)). FIXED: Dmax is 1. BALL: n takes the place of N.
typedef struct padic_num_to_rational_desc {
    padic_num_array in;
    padic_tensor numerator, denominator; // integer tensors (see >>convert API); FIXED: denominator
                                         // is optional
    padic_num_rational_mode mode;
    uint32_t guard; // g; 0: one digit; PADIC_NUM_NO_GUARD: none
    uint64_t most_numerator[2], most_denominator[2]; // Nmax, Dmax
    uint64_t vector;   // COMMON: elements of each vector; 0: all are one
    uint64_t fixed[2]; // FIXED: d > 0, low word first
    uint64_t quotient; // QUOTIENT; 0: 1,024 times the bits of p^N
    padic_tensor status; // U8, optional
    uint32_t *sticky;    // optional
} padic_num_to_rational_desc;
// 0 is 0/1. No fraction: 0/0 with RATREC (COMMON: in all of the vector), also for O(p^v). Too wide
// for the tensors: 0/0 with RANGE. NaN: 0/0 with its bits. RX: the scratch of `in`.
// Errors beside the common ones: ARGUMENT for 2 Nmax Dmax >= p^(N - g) or fixed = 0; MISMATCH where
// vectors do not divide the count.
PADIC_API padic_result padic_num_to_rational(padic_context *context,
                                             const padic_num_to_rational_desc *desc);

// Small exact linear algebra over the rationals: a batch of n x n matrices of integers, 1 <= n <=
// 64, I32 or I64, dense and row-major: shape (n, n) or (batch, n, n). Results are integer tensors;
// those of dtype U64 have an axis more, the first: planes of words in two's complement, the lowest
// first. What does not fit becomes 0 with RANGE.
// Errors: ARGUMENT, DTYPE, MISMATCH (shapes), LIMIT (n), OVERLAP, CAPACITY (scratch).

// bits: U32 or I32, one for each matrix: |det A| < 2^bits by Hadamard's bound, the product of the
// Euclidean norms of the rows or of the columns, whichever is less. A row or column of 0: 0.
PADIC_API padic_result padic_num_hadamard(padic_context *context, const padic_tensor *bits,
                                          const padic_tensor *matrix);

// det A. If Hadamard's bound keeps all minors below 2^63: elimination without fractions (Bareiss
// 1968). Else modulo as many of the largest primes below 2^49 as the bound asks for, and CRT; for n
// >= 24 a large divisor is found first, as the denominator of a linear system.
typedef struct padic_num_det_desc {
    padic_tensor matrix;
    padic_tensor out;    // one for each matrix
    padic_tensor status; // U8, optional, one for each matrix
    uint32_t *sticky;    // optional
    void *scratch;       // 8-byte aligned; for k workers k times the bound
    size_t scratch_size;
} padic_num_det_desc;
PADIC_API size_t padic_num_det_bound(const padic_num_det_desc *desc); // 0: an error
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
    void *scratch;            // as of det
    size_t scratch_size;
} padic_num_solve_desc;
PADIC_API size_t padic_num_solve_bound(const padic_num_solve_desc *desc); // 0: an error
PADIC_API padic_result padic_num_solve(padic_context *context, const padic_num_solve_desc *desc);

// room: src/num/channels.h
// ------------------------------------------------------------------------------- >>channels API
//
// Floats as integers, digests of sets, compressed gradients. Tensors here are dense, in host memory
// and of one count; none may overlap another unless a comment allows it. Common errors: ARGUMENT,
// DTYPE, MISMATCH (counts), NOT_SUPPORTED (a buffer), OVERLAP, LIMIT.

// x as sign s in {-1, 0, 1} and level y = floor(2^F log2 |x| + 1/2), exactly rounded: no tie
// exists, and no libm is asked. y grows with |x|; zero is s = 0, y = 0; subnormals have their true
// level. The magnitude is x' = 2^(y / 2^F), |x' / x - 1| <= 2^(2^-(F+1)) - 1 (F = 16: 5.3e-6) and
// half an ulp of decoding. encode(decode(y)) = y for normal results.
//
// Inf and NaN are refused: s = 0 and OUTSIDE, so that a status plane says where to keep them apart.
// -0 becomes 0 (INEXACT). Decoding is correctly rounded; beyond the range it gives Inf (RANGE), and
// 0 where a level is too small (INEXACT). LIMIT: F above t - 2, with t = 11, 8, 24, 53 significant
// bits, or above 30; `ring` too small. ARGUMENT: `level` too narrow for 25, 134, 150 or 1,075 times
// 2^F.
typedef struct padic_num_log_desc {
    padic_tensor value; // F16, BF16, F32, F64: in for encode, out for decode
    padic_tensor sign;  // I8
    padic_tensor level; // I16, I32, I64
    uint32_t fraction;  // F
    const padic_num_ring *ring;   // optional: must hold every level, P > 2,150 2^F, so that
                                  // padic_num_from_int() takes levels exactly, never folded mod p
    padic_tensor status;          // optional, U8: padic_num_status
    uint32_t *sticky;             // optional: or of all
} padic_num_log_desc;
PADIC_API padic_result padic_num_log_encode(padic_context *context, const padic_num_log_desc *desc);
PADIC_API padic_result padic_num_log_decode(padic_context *context, const padic_num_log_desc *desc);

// The fields of IEEE floats as they stand: value = sign | biased exponent | mantissa. Every bit
// pattern survives, NaN payloads too. The planes are U8 to U64, wide enough for 1 bit, for 5, 8, 8,
// 11 and for 10, 7, 23, 52 bits (else ARGUMENT). join: DOMAIN if a field is out of range; that
// element is 0, the others are right.
typedef struct padic_num_channels_desc {
    padic_tensor value; // F16, BF16, F32, F64: in for split, out for join
    padic_tensor sign, exponent, mantissa;
} padic_num_channels_desc;
PADIC_API padic_result padic_num_channels_split(padic_context *context,
                                                const padic_num_channels_desc *desc);
PADIC_API padic_result padic_num_channels_join(padic_context *context,
                                               const padic_num_channels_desc *desc);

// A digest of a set of records (id, bytes), whatever their order: two peers of a lockstep game keep
// one each and compare them. Each record, as words of 32 bits with its length and id before them,
// is a polynomial over Z/(2^61 - 1); its values at two points drawn from the seed are the counter
// of Philox4x32-10, keyed by the seed, and the 128 bits are added to `sum`, two elements of Z/2^64.
// Any order, split and history of one set gives the same bytes, so memcmp() compares two digests.
// Two sets of which d records of w words differ agree by accident with probability d^2 w^2 2^-122,
// or 2^-128. NOT cryptographic: whoever chooses the records can make two sets agree.
typedef struct padic_num_digest {
    uint64_t seed, count, sum[2];
    uint64_t point[2]; // made from the seed
} padic_num_digest;
PADIC_API void padic_num_digest_init(padic_num_digest *digest, uint64_t seed);
// `data` may be NULL if size is 0. A record that was never added can be removed: the digest then is
// that of a set with -1 of it, and adding it gives the empty set again.
PADIC_API void padic_num_digest_add(padic_num_digest *digest, uint64_t id, const void *data,
                                    size_t size);
PADIC_API void padic_num_digest_remove(padic_num_digest *digest, uint64_t id, const void *data,
                                       size_t size);
// remove(before), add(after), both of `size` bytes.
PADIC_API void padic_num_digest_update(padic_num_digest *digest, uint64_t id, const void *before,
                                       const void *after, size_t size);
// Adds all records of another. MISMATCH: another seed.
PADIC_API padic_result padic_num_digest_merge(padic_num_digest *digest,
                                              const padic_num_digest *other);
// Straight-through gradient of a quantiser: out = grad where low <= in <= high, else 0 (NaN: 0).
// A surrogate: the true derivative of a quantiser is 0 almost everywhere. Floats of any type; out
// and grad of the same, out may be grad. ARGUMENT: low or high is NaN.
typedef struct padic_num_ste_desc {
    padic_tensor out, grad, in;
    double low, high; // what the quantiser can represent
} padic_num_ste_desc;
PADIC_API padic_result padic_num_ste_backward(padic_context *context,
                                              const padic_num_ste_desc *desc);

typedef enum padic_num_grad_mode {
    PADIC_NUM_GRAD_ALL = 0,       // every element
    PADIC_NUM_GRAD_THRESHOLD = 1, // |state| >= threshold
    PADIC_NUM_GRAD_TOP = 2        // the `top` largest |state|, ties by the lower index
} padic_num_grad_mode;

// One step of a gradient compressor with error feedback. The residual counts units of 2^-scale and
// is exact: state = residual + in 2^scale; an element that is sent sends the multiple q 2^step of
// units nearest to its state (ties to even; the largest multiple that `sent` holds), and
//
//     q 2^step + residual' = residual + in 2^scale       as integers, with no decay
//
// Where in 2^scale is no integer it is rounded (ties to even), INEXACT and counted. Inf and NaN
// (OUTSIDE) and an input that would wrap the state (RANGE) count as 0.
typedef struct padic_num_grad_desc {
    padic_tensor in;       // F16, BF16, F32, F64
    padic_tensor residual; // I64, in and out
    int32_t scale;         // -1,100 to 1,100
    uint32_t step;         // 0 to 62
    padic_num_grad_mode mode;
    uint64_t threshold;    // in units
    uint64_t top;
    padic_tensor sent;     // q: I8, I16, I32, I64; room for those sent
    padic_tensor index;    // U32, U64: which they are, ascending, as many; unused by ALL
    padic_tensor status;   // optional, U8
    uint32_t *sticky;      // optional
} padic_num_grad_desc;
typedef struct padic_num_grad_report {
    uint64_t sent, inexact, refused; // elements
} padic_num_grad_report;
// `report` may be NULL. CAPACITY: more to send than room; report.sent is how many. The state then
// keeps it all, so nothing is lost: a call with room, and zeros for `in`, sends it.
PADIC_API padic_result padic_num_grad_step(padic_context *context, const padic_num_grad_desc *desc,
                                           padic_num_grad_report *report);

// room: src/num/tree.h
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
PADIC_API size_t padic_num_tree_bound(const padic_num_array *points, uint64_t capacity);
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

// Makes LCA queries independent of the length of numbers, in padic_num_tree_index_bound() bytes: 4
// log2(n) a leaf. CAPACITY, ARGUMENT (alignment of 4).
PADIC_API size_t padic_num_tree_index_bound(const padic_num_tree *tree);
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
    padic_num_array query; // of the ring and model of the points; RX: with scratch
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
PADIC_API size_t padic_num_tree_write_bound(const padic_num_tree *tree);
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

// room: src/num/kernel.h
// --------------------------------------------------------------------------------- >>kernel API
//
// A backend in host memory (backends/padic_simd.h) may do the inner loops: its `run` gets one of
// the numbers below with a padic_num_call or padic_sparse_call, from any thread. It answers
// NOT_SUPPORTED before it touches memory, or computes the same bytes as the plain loop.

typedef enum padic_num_kernel { // after PADIC_KERNEL_NUM of padic.h
    PADIC_KERNEL_NUM_ADD = 2000,
    PADIC_KERNEL_NUM_SUB,
    PADIC_KERNEL_NUM_NEG,
    PADIC_KERNEL_NUM_MUL,
    PADIC_KERNEL_NUM_FMA,
    PADIC_KERNEL_NUM_INV,
    PADIC_KERNEL_NUM_DIV,
    PADIC_KERNEL_NUM_SPLIT,     // out, a; other[0]: i32 valuations or NULL
    PADIC_KERNEL_NUM_VALUATION, // of a, or a - b; other[0], [1]: i32 valuations, norms
    PADIC_KERNEL_NUM_HORNER,    // a: points, b: coefficients, k: terms, stride: from term to term
    PADIC_KERNEL_NUM_SQRT,
    PADIC_KERNEL_NUM_EXP,
    PADIC_KERNEL_NUM_LOG,
    PADIC_KERNEL_NUM_TEICHMUELLER,
    PADIC_KERNEL_NUM_TO_DIGITS,   // a; other[0]: digits, see >>convert impl
    PADIC_KERNEL_NUM_FROM_DIGITS,
    PADIC_KERNEL_NUM_TO_RATIONAL, // a below 2^64; other[0], [1]: i64 results; k: Nmax, stride: Dmax
    PADIC_KERNEL_NUM_FROM_FLOAT,
    PADIC_KERNEL_NUM_DOT,
    PADIC_KERNEL_NUM_SUM, // as DOT without b; from here on only devices are asked
    PADIC_KERNEL_NUM_SHIFT,
    PADIC_KERNEL_NUM_POW,
    PADIC_KERNEL_NUM_POW_ARRAY,
    PADIC_KERNEL_NUM_EQUAL,
    PADIC_KERNEL_NUM_TROPICAL,
    PADIC_KERNEL_NUM_FROM_INT,
    PADIC_KERNEL_NUM_TO_INT,
    PADIC_KERNEL_NUM_FROM_RATIONAL,
    PADIC_KERNEL_NUM_TO_FLOAT,
    PADIC_KERNEL_NUM_ROOT,
    PADIC_KERNEL_NUM_POW_PADIC,
    PADIC_KERNEL_NUM_SET_PRECISION,
    PADIC_KERNEL_NUM_RATIONAL, // all that TO_RATIONAL is not; options: padici_rational
    PADIC_KERNEL_NUM_CHANGE_PRIME,
    PADIC_KERNEL_NUM_RANDOM, // options: padic_num_random_desc
    PADIC_KERNEL_NUM_HENSEL, // a: seeds, c: coefficients as of HORNER
    PADIC_KERNEL_NUM_SYSTEMS,   // in host memory: a padic_num_systems
    PADIC_KERNEL_NUM_SOLVE,     // on a device; options: padici_solving
    PADIC_KERNEL_NUM_HENSEL_ALL // c: coefficients; other[0], [1]: u32 numbers of roots, u8
                                // guarantees; options: padici_hensel
} padic_num_kernel;

// Planes of one operand, from the first element of the call on. RX: from a tile on.
typedef struct padic_num_planes {
    void *unit;      // words of ring->unit_size bytes; NULL: no such operand
    void *val;       // FLOAT, BALL
    void *known;     // BALL
    uint64_t high;   // W128: words from a low word to its high word
    uint32_t val16, known16;
    uint32_t scalar; // one element for all
} padic_num_planes;

typedef struct padic_num_call {
    const padic_num_ring *ring;
    padic_num_model model;
    uint32_t kernel;  // padic_num_kernel
    uint64_t count;
    padic_num_planes out, a, b, c;
    uint8_t *status;  // may be NULL; else every element's byte is written
    void *other[4];   // digits, numerators and denominators, floats, valuations
    padic_dtype dtype; // of those
    uint64_t stride;
    int64_t k;        // exponent, shift, terms, options
    void *scratch;    // of this thread (RX)
    uint32_t bits;    // out: all status bits
    uint64_t first;      // the number of the first element in the whole array
    const void *options; // what else an operation wants, the same for all chunks
} padic_num_call;

// Systems A x = b of integers, exactly: det A, and for each right side numerators over a positive
// denominator, in lowest terms, or (`reduce` 0) over |det A|. det = 0 says that a system is not
// done: A is singular, or its minors are not below 2^50. Results of system k are at [k], those of
// the next row or side PADIC_NUM_SYSTEMS further on; what is there beyond `count` may change.
#define PADIC_NUM_SYSTEMS 32
typedef struct padic_num_systems {
    const void *matrix, *right; // dense: (count, n, n), (count, n, sides)
    padic_dtype dtype;          // I32, I64
    uint32_t n, sides, count;   // 3 to 8; 0: only det; at most PADIC_NUM_SYSTEMS
    uint32_t reduce;
    int64_t *det, *denominator, *numerator; // (1), (sides), (n, sides)
    void *work; // 64-byte aligned: (n (n + 1) + 2 2^n) 64 bytes
} padic_num_systems;
// room: src/padic_num.in.h:75

#ifdef __cplusplus
}
#endif

#ifndef PADIC_NO_SPARSE
#include "padic_sparse.h"
#endif
#endif // PADIC_NUM_H

// ================================================================================================
#if defined(PADIC_IMPLEMENTATION) && !defined(PADIC_NUM_IMPLEMENTED)
#define PADIC_NUM_IMPLEMENTED

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off", "tree-vectorize", "vect-cost-model=dynamic")
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

// room: src/num/ring.c
// ----------------------------------------------------------------------------------- >>num impl
//
// From the bottom up: 128-bit words, residues of one and two words, limbs, any residue by pointer,
// elements (padici_cell), and padici_num_run(), which checks arrays and runs loops over them.

#define PADICI_NUM_MAGIC UINT32_C(0x31474e52)

typedef struct padici_wide { // an integer below 2^128
    uint64_t low, high;
} padici_wide;

PADICI_INLINE padici_wide padici_wide_make(uint64_t low, uint64_t high)
{
    padici_wide x;
    x.low = low;
    x.high = high;
    return x;
}

PADICI_INLINE padici_wide padici_wide_mul(uint64_t a, uint64_t b)
{
#if PADICI_INT128 // gcc makes two multiplications of the other form
    const padici_u128 x = (padici_u128)a * b;
    return padici_wide_make((uint64_t)x, (uint64_t)(x >> 64));
#else
    return padici_wide_make(a * b, padici_mulhi64(a, b));
#endif
}

PADICI_INLINE padici_wide padici_wide_add(padici_wide a, padici_wide b)
{
    const uint64_t low = a.low + b.low;
    return padici_wide_make(low, a.high + b.high + (low < a.low));
}

PADICI_INLINE padici_wide padici_wide_sub(padici_wide a, padici_wide b)
{
    return padici_wide_make(a.low - b.low, a.high - b.high - (a.low < b.low));
}

PADICI_INLINE int padici_wide_less(padici_wide a, padici_wide b)
{
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

PADICI_INLINE int padici_wide_zero(padici_wide a)
{
    return !(a.low | a.high);
}

// Modulo 2^128.
PADICI_INLINE padici_wide padici_wide_mul_low(padici_wide a, padici_wide b)
{
    padici_wide x = padici_wide_mul(a.low, b.low);
    x.high += a.low * b.high + a.high * b.low;
    return x;
}

// a b / 2^128, less than 3 too small.
PADICI_INLINE padici_wide padici_wide_mul_high(padici_wide a, padici_wide b)
{
    padici_wide x = padici_wide_mul(a.high, b.high);
    x = padici_wide_add(x, padici_wide_make(padici_mulhi64(a.high, b.low), 0));
    return padici_wide_add(x, padici_wide_make(padici_mulhi64(a.low, b.high), 0));
}

PADICI_INLINE padici_wide padici_wide_shl(padici_wide a, uint32_t k) // k < 128
{
    if (k >= 64) return padici_wide_make(0, a.low << (k - 64));
    return k ? padici_wide_make(a.low << k, a.high << k | a.low >> (64 - k)) : a;
}

PADICI_INLINE padici_wide padici_wide_shr(padici_wide a, uint32_t k) // k < 128
{
    if (k >= 64) return padici_wide_make(a.high >> (k - 64), 0);
    return k ? padici_wide_make(a.low >> k | a.high << (64 - k), a.high >> k) : a;
}

PADICI_INLINE uint32_t padici_wide_bits(padici_wide a) // bit length
{
    if (a.high) return 128u - padici_clz64(a.high);
    return a.low ? 64u - padici_clz64(a.low) : 0;
}

// floor(a / b), b not 0; *rest may be NULL.
static padici_wide padici_wide_div(padici_wide a, padici_wide b, padici_wide *rest)
{
    padici_wide q = {0, 0};
#if PADICI_INT128
    const padici_u128 x = (padici_u128)a.high << 64 | a.low, y = (padici_u128)b.high << 64 | b.low;
    const padici_u128 z = x / y, r = x - z * y;
    q = padici_wide_make((uint64_t)z, (uint64_t)(z >> 64));
    a = padici_wide_make((uint64_t)r, (uint64_t)(r >> 64));
#else
    if (!padici_wide_less(a, b)) {
        uint32_t k = padici_wide_bits(a) - padici_wide_bits(b) + 1;
        while (k-- > 0) {
            const padici_wide c = padici_wide_shl(b, k);
            q = padici_wide_shl(q, 1);
            if (!padici_wide_less(a, c)) {
                a = padici_wide_sub(a, c);
                q.low |= 1;
            }
        }
    }
#endif
    if (rest) *rest = a;
    return q;
}

// floor(x / d) and the rest, x.high < d, for a divisor with its reciprocal (Moeller, Granlund:
// Improved division by invariant integers, 2011). `d` has its top bit set, and so has x been
// shifted; the rest is shifted too.
PADICI_INLINE uint64_t padici_divide(padici_wide x, uint64_t d, uint64_t reciprocal, uint64_t *rest)
{
    padici_wide q = padici_wide_add(padici_wide_mul(reciprocal, x.high), x);
    uint64_t r, over;
    q.high++;
    r = x.low - q.high * d;
    over = 0 - (uint64_t)(r > q.low); // a coin toss, so no branch
    q.high += over;
    r += d & over;
    if (PADICI_UNLIKELY(r >= d)) {
        q.high++;
        r -= d;
    }
    *rest = r;
    return q.high;
}

// floor((2^128 - 1) / d) - 2^64 for a d with its top bit set.
static uint64_t padici_reciprocal(uint64_t d)
{
    return padici_wide_div(padici_wide_make(UINT64_MAX, ~d), padici_wide_make(d, 0), NULL).low;
}

// a^-1 modulo 2^64, a odd: 5 bits, doubled four times.
PADICI_INLINE uint64_t padici_inverse64(uint64_t a)
{
    uint64_t x = (3 * a) ^ 2;
    x *= 2 - a * x;
    x *= 2 - a * x;
    x *= 2 - a * x;
    return x * (2 - a * x);
}

// One word: `form` is B2, W32, W49 or W64, a constant where the loop is made for one form, so that
// nothing of the others stays.

PADICI_INLINE uint64_t padici_add1(const padic_num_ring *r, padic_num_form form, uint64_t a,
                                   uint64_t b)
{
    if (form == PADIC_NUM_B2) return (a + b) & (r->base - 1);
    if (form == PADIC_NUM_W64) { // the sum may reach 2^64
        const uint64_t d = r->base - b;
        return a >= d ? a - d : a + b;
    } else {
        const uint64_t s = a + b, d = s - r->base;
        return d < s ? d : s;
    }
}

PADICI_INLINE uint64_t padici_sub1(const padic_num_ring *r, padic_num_form form, uint64_t a,
                                   uint64_t b)
{
    const uint64_t d = a - b;
    if (form == PADIC_NUM_B2) return d & (r->base - 1);
    return d + (r->base & (0 - (uint64_t)(a < b))); // no branch: half of all are below
}

PADICI_INLINE uint64_t padici_mul1(const padic_num_ring *r, padic_num_form form, uint64_t a,
                                   uint64_t b)
{
    if (form == PADIC_NUM_B2) return (a * b) & (r->base - 1);
    if (form == PADIC_NUM_W64) {
        uint64_t rest;
        padici_divide(padici_wide_mul(a << r->shift, b), r->base << r->shift, r->reciprocal, &rest);
        return rest >> r->shift;
    } else { // Barrett: the quotient is at most one too small, since ab/P - q < 1 + 1/2 + 2^-13
        const uint64_t h = padici_mulhi64(a << (64 - r->bits), b << 14);
        const uint64_t x = a * b - padici_mulhi64(h, r->barrett) * r->base, y = x - r->base;
        return y < x ? y : x;
    }
}

// Two words.

PADICI_INLINE padici_wide padici_modulus(const padic_num_ring *r)
{
    return padici_wide_make(r->modulus[0], r->modulus[1]);
}

PADICI_INLINE padici_wide padici_add2(const padic_num_ring *r, padici_wide a, padici_wide b)
{
    const padici_wide s = padici_wide_add(a, b), p = padici_modulus(r);
    return padici_wide_less(s, p) ? s : padici_wide_sub(s, p);
}

PADICI_INLINE padici_wide padici_sub2(const padic_num_ring *r, padici_wide a, padici_wide b)
{
    const padici_wide d = padici_wide_sub(a, b);
    return padici_wide_less(a, b) ? padici_wide_add(d, padici_modulus(r)) : d;
}

// a b 2^-128 mod P (Montgomery) or P more, P odd and below 2^127; a < P, any b.
PADICI_INLINE padici_wide padici_product2(const padic_num_ring *r, padici_wide a, padici_wide b)
{
    const padici_wide p = padici_modulus(r);
    padici_wide t = {0, 0}, x, y;
    uint32_t i;
    for (i = 0; i < 2; i++) { // t = (t + a b_i + m P) / 2^64 < 2 P
        const uint64_t bi = i ? b.high : b.low;
        uint64_t m, carry;
        x = padici_wide_add(padici_wide_mul(a.low, bi), padici_wide_make(t.low, 0));
        y = padici_wide_mul(a.high, bi);
        y = padici_wide_add(padici_wide_add(y, padici_wide_make(t.high, 0)),
                            padici_wide_make(x.high, 0));
        m = x.low * r->mont_inverse;
        t = padici_wide_add(padici_wide_mul(m, p.low), padici_wide_make(x.low, 0));
        carry = t.high; // t.low is 0
        t = padici_wide_add(padici_wide_add(padici_wide_mul(m, p.high), y),
                            padici_wide_make(carry, 0));
    }
    return t;
}

// The same below P, without a branch.
PADICI_INLINE padici_wide padici_montgomery2(const padic_num_ring *r, padici_wide a, padici_wide b)
{
    const padici_wide p = padici_modulus(r), t = padici_product2(r, a, b);
    const uint64_t less = 0 - (uint64_t)padici_wide_less(t, p);
    return padici_wide_add(padici_wide_sub(t, p), padici_wide_make(p.low & less, p.high & less));
}

// P even: a power of two, or that of an even radix, where no loop is in a hurry.
static padici_wide padici_mul2_even(const padic_num_ring *r, padici_wide a, padici_wide b)
{
    const padici_wide mask = padici_wide_sub(padici_modulus(r), padici_wide_make(1, 0));
    padici_wide x = padici_wide_mul_low(a, b);
    uint32_t i;
    if (!(mask.low & r->modulus[0]) && !(mask.high & r->modulus[1]))
        return padici_wide_make(x.low & mask.low, x.high & mask.high);
    x = padici_wide_make(0, 0);
    for (i = padici_wide_bits(b); i-- > 0;) { // from the top bit of b down
        x = padici_add2(r, x, x);
        if (padici_wide_shr(b, i).low & 1) x = padici_add2(r, x, a);
    }
    return x;
}

PADICI_INLINE padici_wide padici_mul2(const padic_num_ring *r, padici_wide a, padici_wide b)
{
    if (PADICI_UNLIKELY(!(r->modulus[0] & 1))) return padici_mul2_even(r, a, b);
    a = padici_product2(r, a, b);
    return padici_montgomery2(r, padici_wide_make(r->mont_square[0], r->mont_square[1]), a);
}

// Limbs of base p^e, lowest first; L = r->words of them, the top one with top_digits digits.

// The value of x modulo p^k for a limb, k <= e.
PADICI_INLINE uint64_t padici_limb_low(const padic_num_ring *r, uint64_t x, uint32_t k)
{
    return x % r->power[k][0];
}

PADICI_INLINE uint64_t padici_limb_base(const padic_num_ring *r, uint32_t i)
{
    return i + 1 < r->words ? r->base : r->power[r->top_digits][0];
}

static void padici_limbs_add(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                             const uint64_t *b)
{
    uint64_t carry = 0;
    uint32_t i;
    for (i = 0; i < r->words; i++) {
        const uint64_t base = padici_limb_base(r, i), s = a[i] + b[i] + carry;
        carry = s >= base;
        x[i] = carry ? s - base : s;
    }
}

static void padici_limbs_sub(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                             const uint64_t *b)
{
    uint64_t borrow = 0;
    uint32_t i;
    for (i = 0; i < r->words; i++) {
        const uint64_t d = b[i] + borrow;
        borrow = a[i] < d;
        x[i] = a[i] - d + (borrow ? padici_limb_base(r, i) : 0);
    }
}

// Adds b[i] a[k - i] to *x and b[i] a[k + 1 - i] to *y: two columns share the limbs of b.
PADICI_INLINE void padici_limbs_columns(const uint64_t *a, uint32_t an, const uint64_t *b,
                                        uint32_t bn, uint32_t k, padici_wide *x, padici_wide *y)
{
    const uint32_t end = k + 1 < bn ? k + 1 : bn;
    uint32_t i = k + 2 > an ? k + 2 - an : 0;
#if PADICI_INT128
    padici_u128 c = (padici_u128)x->high << 64 | x->low, d = (padici_u128)y->high << 64 | y->low;
    if (i && i <= end) c += (padici_u128)b[i - 1] * a[an - 1];
    if (k + 1 < bn) d += (padici_u128)b[k + 1] * a[0];
    for (a += k; i < end; i++) {
        c += (padici_u128)b[i] * *(a - i);
        d += (padici_u128)b[i] * *(a - i + 1);
    }
    *x = padici_wide_make((uint64_t)c, (uint64_t)(c >> 64));
    *y = padici_wide_make((uint64_t)d, (uint64_t)(d >> 64));
#else
    if (i && i <= end) *x = padici_wide_add(*x, padici_wide_mul(b[i - 1], a[an - 1]));
    if (k + 1 < bn) *y = padici_wide_add(*y, padici_wide_mul(b[k + 1], a[0]));
    for (a += k; i < end; i++) {
        *x = padici_wide_add(*x, padici_wide_mul(b[i], *(a - i)));
        *y = padici_wide_add(*y, padici_wide_mul(b[i], *(a - i + 1)));
    }
#endif
}

// The lowest limb of a column, which becomes the carry.
PADICI_INLINE uint64_t padici_limbs_carry(const padic_num_ring *r, padici_wide *column)
{
    uint64_t rest;
    column->low = padici_divide(padici_wide_shl(*column, r->shift), r->base << r->shift,
                                r->reciprocal, &rest);
    column->high = 0;
    return rest >> r->shift;
}

// The n lowest limbs of a b + d s, a of `an` limbs and b of `bn`, s below the base, d NULL or of n
// limbs; the top one is not cut to its digits. x is neither a nor b. A column is below (L + 1) p^2e
// < 2^110.
static void padici_limbs_product(const padic_num_ring *r, uint64_t *x, uint32_t n,
                                 const uint64_t *a, uint32_t an, const uint64_t *b, uint32_t bn,
                                 const uint64_t *d, uint64_t s)
{
    padici_wide carry = {0, 0}, next;
    uint32_t k;
    for (k = 0; k < n; k += 2) {
        if (d) carry = padici_wide_add(carry, padici_wide_mul(d[k], s));
        next = d && k + 1 < n ? padici_wide_mul(d[k + 1], s) : padici_wide_make(0, 0);
        padici_limbs_columns(a, an, b, bn, k, &carry, &next);
        x[k] = padici_limbs_carry(r, &carry);
        if (k + 1 == n) break;
        carry = padici_wide_add(carry, next);
        x[k + 1] = padici_limbs_carry(r, &carry);
    }
}

static void padici_limbs_mul(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                             const uint64_t *b, uint32_t n)
{
    padici_limbs_product(r, x, n, a, n, b, n, NULL, 0);
}

// Any residue by pointer: r->words words of 64 bits, the lowest first (RX: limbs). x may be a or b
// unless the comment says no.

PADICI_INLINE padici_wide padici_wide_load(const uint64_t *a)
{
    return padici_wide_make(a[0], a[1]);
}

PADICI_INLINE void padici_wide_store(uint64_t *x, padici_wide a)
{
    x[0] = a.low;
    x[1] = a.high;
}

PADICI_INLINE void padici_ring_copy(const padic_num_ring *r, uint64_t *x, const uint64_t *a)
{
    memmove(x, a, r->words * sizeof *x);
}

PADICI_INLINE int padici_ring_is_zero(const padic_num_ring *r, const uint64_t *a)
{
    uint32_t i;
    for (i = 0; i < r->words; i++)
        if (a[i]) return 0;
    return 1;
}

PADICI_INLINE int padici_ring_same(const padic_num_ring *r, const uint64_t *a, const uint64_t *b)
{
    return !memcmp(a, b, r->words * sizeof *a);
}

// x = s mod P.
static void padici_ring_set(const padic_num_ring *r, uint64_t *x, uint64_t s)
{
    uint32_t i;
    if (r->form < PADIC_NUM_W128) {
        x[0] = r->base ? s % r->base : s;
    } else if (r->form == PADIC_NUM_W128) { // forced on a small P, s may be above it
        padici_wide rest;
        padici_wide_div(padici_wide_make(s, 0), padici_modulus(r), &rest);
        padici_wide_store(x, rest);
    } else {
        for (i = 0; i < r->words; i++) {
            const uint64_t base = padici_limb_base(r, i);
            x[i] = s % base;
            s = s / base;
        }
    }
}

static void padici_ring_add(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                            const uint64_t *b)
{
    if (r->form < PADIC_NUM_W128)
        x[0] = padici_add1(r, r->form, a[0], b[0]);
    else if (r->form == PADIC_NUM_W128)
        padici_wide_store(x, padici_add2(r, padici_wide_load(a), padici_wide_load(b)));
    else
        padici_limbs_add(r, x, a, b);
}

static void padici_ring_sub(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                            const uint64_t *b)
{
    if (r->form < PADIC_NUM_W128)
        x[0] = padici_sub1(r, r->form, a[0], b[0]);
    else if (r->form == PADIC_NUM_W128)
        padici_wide_store(x, padici_sub2(r, padici_wide_load(a), padici_wide_load(b)));
    else
        padici_limbs_sub(r, x, a, b);
}

// x = a b; x is neither a nor b.
static void padici_ring_mul(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                            const uint64_t *b)
{
    if (r->form < PADIC_NUM_W128)
        x[0] = padici_mul1(r, r->form, a[0], b[0]);
    else if (r->form == PADIC_NUM_W128)
        padici_wide_store(x, padici_mul2(r, padici_wide_load(a), padici_wide_load(b)));
    else {
        padici_limbs_mul(r, x, a, b, r->words);
        x[r->words - 1] = padici_limb_low(r, x[r->words - 1], r->top_digits);
    }
}

static void padici_ring_neg(const padic_num_ring *r, uint64_t *x, const uint64_t *a)
{
    uint64_t borrow = 0;
    uint32_t i;
    if (r->form < PADIC_NUM_W128) {
        x[0] = padici_sub1(r, r->form, 0, a[0]);
    } else if (r->form == PADIC_NUM_W128) {
        padici_wide_store(x, padici_sub2(r, padici_wide_make(0, 0), padici_wide_load(a)));
    } else {
        for (i = 0; i < r->words; i++) {
            const uint64_t d = a[i] + borrow;
            borrow = d != 0;
            x[i] = d ? padici_limb_base(r, i) - d : 0;
        }
    }
}

// x = floor(a / p^k) for k >= 0: drops the k lowest digits, the top ones become 0.
static void padici_ring_down(const padic_num_ring *r, uint64_t *x, const uint64_t *a, uint64_t k)
{
    if (k >= r->precision) {
        memset(x, 0, r->words * sizeof *x);
    } else if (r->form < PADIC_NUM_W128) {
        x[0] = r->form == PADIC_NUM_B2 ? a[0] >> k : a[0] / r->power[k][0];
    } else if (r->form == PADIC_NUM_W128) {
        padici_wide_store(x, padici_wide_div(padici_wide_load(a), padici_wide_load(r->power[k]),
                                             NULL));
    } else {
        const uint32_t limbs = (uint32_t)k / r->limb_digits, part = (uint32_t)k % r->limb_digits;
        const uint64_t low = r->power[part][0], up = r->power[r->limb_digits - part][0];
        uint32_t i;
        for (i = 0; i < r->words; i++) {
            const uint64_t here = i + limbs < r->words ? a[i + limbs] : 0;
            const uint64_t next = i + limbs + 1 < r->words ? a[i + limbs + 1] : 0;
            x[i] = part ? here / low + next % low * up : here;
        }
    }
}

// x = a p^k mod P for k >= 0.
static void padici_ring_up(const padic_num_ring *r, uint64_t *x, const uint64_t *a, uint64_t k)
{
    if (k >= r->precision) {
        memset(x, 0, r->words * sizeof *x);
    } else if (r->form < PADIC_NUM_W128) {
        x[0] = padici_mul1(r, r->form, a[0], r->power[k][0]);
    } else if (r->form == PADIC_NUM_W128) {
        padici_wide_store(x, padici_mul2(r, padici_wide_load(a), padici_wide_load(r->power[k])));
    } else {
        const uint32_t limbs = (uint32_t)k / r->limb_digits, part = (uint32_t)k % r->limb_digits;
        const uint64_t low = r->power[part][0], up = r->power[r->limb_digits - part][0];
        uint32_t i = r->words;
        while (i-- > 0) {
            const uint64_t here = i >= limbs ? a[i - limbs] : 0;
            const uint64_t before = i >= limbs + 1 ? a[i - limbs - 1] : 0;
            x[i] = part ? here % up * low + before / up : here;
        }
        x[r->words - 1] = padici_limb_low(r, x[r->words - 1], r->top_digits);
    }
}

// x = a mod p^n.
static void padici_ring_low(const padic_num_ring *r, uint64_t *x, const uint64_t *a, uint64_t n)
{
    if (n >= r->precision) {
        padici_ring_copy(r, x, a);
    } else if (r->form < PADIC_NUM_W128) {
        x[0] = a[0] % r->power[n][0];
    } else if (r->form == PADIC_NUM_W128) {
        padici_wide rest;
        padici_wide_div(padici_wide_load(a), padici_wide_load(r->power[n]), &rest);
        padici_wide_store(x, rest);
    } else {
        const uint32_t limbs = (uint32_t)n / r->limb_digits, part = (uint32_t)n % r->limb_digits;
        uint32_t i;
        for (i = 0; i < r->words; i++)
            x[i] = i < limbs ? a[i] : i == limbs ? padici_limb_low(r, a[i], part) : 0;
    }
}

// The lowest digit, a mod p.
PADICI_INLINE uint64_t padici_ring_digit(const padic_num_ring *r, const uint64_t *a)
{
    padici_wide rest;
    if (r->form != PADIC_NUM_W128 || !a[1]) return a[0] % r->p;
    padici_wide_div(padici_wide_load(a), padici_wide_make(r->p, 0), &rest);
    return rest.low;
}

// Does an odd p divide x? Then *q is x / p: x p^-1 mod 2^128 is no larger than any quotient can be.
PADICI_INLINE int padici_wide_divides(const padic_num_ring *r, padici_wide x, padici_wide *q)
{
    *q = padici_wide_mul_low(x, padici_wide_load(r->wide_inverse));
    return !padici_wide_less(padici_wide_load(r->wide_limit), *q);
}

// Does p not divide a?
PADICI_INLINE int padici_ring_unit(const padic_num_ring *r, const uint64_t *a)
{
    padici_wide q;
    if (r->p == 2) return (int)(a[0] & 1);
    if (r->form == PADIC_NUM_W128) return !padici_wide_divides(r, padici_wide_load(a), &q);
    return a[0] * r->inverse > r->unit_limit;
}

// v of a word that is not 0, and *unit = x / p^v. Odd p: for p^(2^j) descending, x is divisible iff
// x p^-(2^j) mod 2^64 is no larger than any quotient can be; no branch, no division.
PADICI_INLINE uint32_t padici_split1(const padic_num_ring *r, uint64_t x, uint64_t *unit)
{
    uint32_t v = 0, j = r->ladder;
    if (r->p == 2) {
        v = padici_ctz64(x);
        *unit = x >> v;
        return v;
    }
    while (j-- > 0) {
        const uint64_t q = x * r->ladder_inverse[j];
        const int divides = q <= r->ladder_limit[j];
        x = divides ? q : x;
        v += (uint32_t)divides << j;
    }
    *unit = x;
    return v;
}

// v(a), N for 0.
static uint32_t padici_ring_valuation(const padic_num_ring *r, const uint64_t *a)
{
    uint64_t unit;
    uint32_t i = 0, v = 0;
    if (padici_ring_is_zero(r, a)) return r->precision;
    if (r->form < PADIC_NUM_W128) return padici_split1(r, a[0], &unit);
    if (r->form == PADIC_NUM_RX) {
        while (!a[i]) i++;
        return i * r->limb_digits + padici_split1(r, a[i], &unit);
    } else {
        padici_wide x = padici_wide_load(a), q;
        if (r->p == 2) return a[0] ? padici_ctz64(a[0]) : 64 + padici_ctz64(a[1]);
        for (; padici_wide_divides(r, x, &q); x = q) v++;
        return v;
    }
}

// x = a^k; x is not a. `t` has room for 1 residue. Left to right.
static void padici_ring_pow(const padic_num_ring *r, uint64_t *x, const uint64_t *a, uint64_t k,
                            uint64_t *t)
{
    uint32_t i = k ? 64u - padici_clz64(k) : 0;
    padici_ring_set(r, x, 1);
    while (i-- > 0) {
        padici_ring_mul(r, t, x, x);
        if (k >> i & 1)
            padici_ring_mul(r, x, t, a);
        else
            padici_ring_copy(r, x, t);
    }
}

// a^-1 mod p for 0 < a < p: Euclid.
static uint64_t padici_inverse_mod(uint64_t a, uint64_t p)
{
    uint64_t r0 = p, r1 = a % p, x0 = 0, x1 = 1; // |x| stays below p, kept modulo 2^64 with a sign
    uint32_t odd = 0;
    while (r1) {
        const uint64_t q = r0 / r1, r2 = r0 - q * r1, x2 = x0 + q * x1;
        r0 = r1;
        r1 = r2;
        x0 = x1;
        x1 = x2;
        odd ^= 1;
    }
    return odd ? x0 : p - x0;
}

// a b modulo the base of limbs.
PADICI_INLINE uint64_t padici_limb_mul(const padic_num_ring *r, uint64_t a, uint64_t b)
{
    uint64_t rest;
    padici_divide(padici_wide_shl(padici_wide_mul(a, b), r->shift), r->base << r->shift,
                  r->reciprocal, &rest);
    return rest >> r->shift;
}

// A seed for Newton's steps, from tables if the ring has some; in >>series impl.
static uint64_t padici_seed_inverse(const padic_num_ring *r, const uint64_t *a, uint32_t *known);

// x = a^-1 by Newton's x (2 - a x), from one digit to one limb, then to twice as many limbs in each
// step. Where a has one limb: a limb after the other. `t` has room for a residue.
static void padici_limbs_inv(const padic_num_ring *r, uint64_t *x, const uint64_t *a, uint64_t *t)
{
    uint32_t known, n, i, len = r->words;
    uint64_t inverse = padici_seed_inverse(r, a, &known), borrow = 0;
    for (; known < r->limb_digits; known *= 2) {
        uint64_t two = padici_limb_mul(r, a[0], inverse);
        two = two > 2 ? r->base + 2 - two : 2 - two;
        inverse = padici_limb_mul(r, inverse, two);
    }
    x[0] = inverse;
    while (len > 1 && !a[len - 1]) len--;
    for (n = 1; len == 1 && n < r->words; n++) { // 1 - a x = -base^n borrow
        padici_wide next = padici_wide_mul(a[0], x[n - 1]);
        next = padici_wide_add(next, padici_wide_make(borrow, 0));
        padici_limbs_carry(r, &next);
        borrow = next.low;
        x[n] = padici_limb_mul(r, borrow, inverse);
        if (x[n]) x[n] = r->base - x[n];
    }
    for (n = 1; len > 1 && n < r->words; n = known) {
        known = n > r->words / 2 ? r->words : 2 * n;
        padici_limbs_product(r, t, known, a, len < known ? len : known, x, n, NULL, 0);
        for (i = n; i < known; i++) { // 2 - a x = 1 - base^n (...)
            const uint64_t d = t[i] + borrow;
            borrow = d != 0;
            t[i] = d ? r->base - d : 0;
        }
        borrow = 0;
        padici_limbs_mul(r, x + n, x, t + n, known - n);
    }
    x[r->words - 1] = padici_limb_low(r, x[r->words - 1], r->top_digits);
}

// x = a^-1 for a unit a; x is not a. `t` has room for 2 residues.
static void padici_ring_inv(const padic_num_ring *r, uint64_t *x, const uint64_t *a, uint64_t *t)
{
    uint64_t *const two = t + r->words;
    uint32_t known;
    padici_ring_set(r, two, 2);
    if (r->form == PADIC_NUM_B2) {
        x[0] = padici_inverse64(a[0]) & (r->base - 1);
        return;
    }
    if (r->form == PADIC_NUM_RX) {
        padici_limbs_inv(r, x, a, t);
        return;
    }
    padici_ring_set(r, x, padici_seed_inverse(r, a, &known));
    for (; known < r->precision; known *= 2) { // x (2 - a x)
        padici_ring_mul(r, t, a, x);
        padici_ring_sub(r, t, two, t);
        if (r->form == PADIC_NUM_W128)
            padici_wide_store(x, padici_mul2(r, padici_wide_load(x), padici_wide_load(t)));
        else
            x[0] = padici_mul1(r, r->form, x[0], t[0]);
    }
}

// Rounds m 2^e to the nearest float, ties to even, and gives its bits without a sign. `more` 1: the
// value lies above m 2^e by less than one unit of m, and m has at least 55 bits. Sets *inexact, and
// *overflow for infinity.
static uint64_t padici_float_round(padic_dtype dtype, uint64_t m, int64_t e, uint32_t more,
                                   uint32_t *inexact, uint32_t *overflow)
{
    const uint32_t t = dtype == PADIC_F64   ? 53
                       : dtype == PADIC_F32 ? 24
                       : dtype == PADIC_F16 ? 11
                                            : 8;
    const uint32_t ebits = dtype == PADIC_F64 ? 11 : dtype == PADIC_F16 ? 5 : 8;
    const int64_t bias = ((int64_t)1 << (ebits - 1)) - 1;
    uint64_t q, rest, half;
    int64_t drop;
    *inexact = *overflow = 0;
    if (!m) return 0;
    drop = 64 - (int64_t)padici_clz64(m) - t;                 // bits below the significand
    if (e + drop < 2 - bias - (int64_t)t) drop = 2 - bias - (int64_t)t - e; // subnormal
    if (drop <= 0) {
        q = m << -drop;
        rest = half = 0;
    } else {
        q = drop > 63 ? 0 : m >> drop;
        rest = drop > 64 ? 1 : drop == 64 ? m : m & ((UINT64_C(1) << drop) - 1);
        half = drop > 64 ? 2 : UINT64_C(1) << (drop - 1);
    }
    *inexact = rest || more;
    if (half && (rest > half || (rest == half && (more || q & 1)))) q++;
    e += drop; // the value is q 2^e, q <= 2^t
    if (q >> t) {
        q >>= 1;
        e++;
    }
    if (!(q >> (t - 1))) return q; // subnormal or zero
    e += bias + (int64_t)t - 1;
    if (e >= ((int64_t)1 << ebits) - 1) {
        *inexact = *overflow = 1;
        return (((uint64_t)1 << ebits) - 1) << (t - 1);
    }
    return (uint64_t)e << (t - 1) | (q & (((uint64_t)1 << (t - 1)) - 1));
}

// Rings

// a b mod m for any 64-bit m, and a^k.
static uint64_t padici_mulmod(uint64_t a, uint64_t b, uint64_t m)
{
    padici_wide rest;
    padici_wide_div(padici_wide_mul(a, b), padici_wide_make(m, 0), &rest);
    return rest.low;
}

PADIC_API int padic_num_is_prime(uint64_t n)
{
    static const uint8_t bases[12] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    uint32_t i, j, twos;
    if (n < 2) return 0;
    for (i = 0; i < 12; i++)
        if (n % bases[i] == 0) return n == bases[i];
    twos = padici_ctz64(n - 1);
    for (i = 0; i < 12; i++) {
        uint64_t x = 1, k;
        for (k = UINT64_C(1) << 63; k; k >>= 1) { // bases[i]^((n - 1) / 2^twos)
            x = padici_mulmod(x, x, n);
            if ((n - 1) >> twos & k) x = padici_mulmod(x, bases[i], n);
        }
        if (x == 1) continue;
        for (j = 1; j < twos && x != n - 1; j++) x = padici_mulmod(x, x, n);
        if (x != n - 1) return 0;
    }
    return 1;
}

// The bit length of p^N - 1. Powers are followed as 64-bit mantissas, rounded down: no power of an
// odd p with N < 2^16 comes within 2^-40 of a power of two from below.
static uint32_t padici_power_bits(uint64_t p, uint32_t precision)
{
    uint64_t m = UINT64_C(1) << 63; // value m 2^(bits - 64)
    uint32_t bits = 1, i;
    if (!(p & (p - 1))) return padici_ctz64(p) * precision;
    for (i = 0; i < precision; i++) {
        padici_wide x = padici_wide_mul(m, p);
        const uint32_t n = padici_wide_bits(x) - 64;
        m = padici_wide_shr(x, n).low;
        bits += n;
        if (bits > 2 * PADIC_NUM_MAX_BITS) break;
    }
    return bits;
}

static void padici_ring_constants(padic_num_ring *r)
{
    padici_wide power = {1, 0}, square;
    uint32_t k = 0, j;
    while (padici_wide_bits(power) <= 127 && k < 128) { // p^k below 2^127, and the next for B2
        r->power[k][0] = power.low;
        r->power[k++][1] = power.high;
        square = padici_wide_make(r->p, 0);
        if (padici_wide_bits(power) + padici_wide_bits(square) > 128) break;
        power = padici_wide_mul_low(power, square);
    }
    r->power_count = k;
    if (r->form < PADIC_NUM_RX) {
        r->modulus[0] = r->power[r->precision][0];
        r->modulus[1] = r->power[r->precision][1];
    }
    if (r->form < PADIC_NUM_W128) r->base = r->modulus[0];
    if (r->form == PADIC_NUM_RX) r->base = r->power[r->limb_digits][0];
    if (r->base) {
        r->shift = padici_clz64(r->base);
        r->reciprocal = padici_reciprocal(r->base << r->shift);
    }
    if (r->form < PADIC_NUM_W128 && r->base && r->bits <= 49)
        r->barrett = padici_wide_div(padici_wide_shl(padici_wide_make(1, 0), 50 + r->bits),
                                     padici_wide_make(r->base, 0), NULL).low;
    if (r->p & 1) {
        const uint64_t below = r->form < PADIC_NUM_W128 || r->form == PADIC_NUM_RX ? r->base
                                                                                   : UINT64_MAX;
        uint64_t x = r->p;
        r->inverse = padici_inverse64(r->p);
        r->unit_limit = UINT64_MAX / r->p;
        power = padici_wide_make(r->inverse, 0); // one Newton step more: p^-1 mod 2^128
        square = padici_wide_mul_low(power, padici_wide_make(r->p, 0));
        square = padici_wide_sub(padici_wide_make(2, 0), square);
        padici_wide_store(r->wide_inverse, padici_wide_mul_low(power, square));
        padici_wide_store(r->wide_limit, padici_wide_div(padici_wide_make(UINT64_MAX, UINT64_MAX),
                                                         padici_wide_make(r->p, 0), NULL));
        for (j = 0; j < 6 && x < below; j++) {
            r->ladder_power[j] = x;
            r->ladder_inverse[j] = padici_inverse64(x);
            r->ladder_limit[j] = UINT64_MAX / x;
            r->ladder = j + 1;
            if (x >> 32) break;
            x *= x;
        }
    }
    if (r->p & 1 && r->form < PADIC_NUM_RX) {
        r->mont_inverse = 0u - padici_inverse64(r->modulus[0]);
        power = padici_wide_make(1, 0);
        for (j = r->form == PADIC_NUM_W128 ? 256 : 128; j > 0; j--)
            power = padici_add2(r, power, power);
        padici_wide_store(r->mont_square, power);
    }
}

static padic_result padici_ring_make(padic_num_ring *ring, uint64_t p, uint32_t precision,
                                     const padic_num_ring_options *options, uint32_t composite)
{
    const uint32_t wanted = options ? (uint32_t)options->form : 0;
    const uint32_t limb32 = options ? options->limb32 : 0;
    uint32_t least;
    padic_num_ring r;
    memset(&r, 0, sizeof r);
    r.p = p;
    r.precision = precision;
    r.composite = composite;
    if (wanted > PADIC_NUM_RX || limb32 > 1) return PADIC_ERROR_ARGUMENT;
    if (!precision || precision > PADIC_NUM_MAX_PRECISION) return PADIC_ERROR_PRECISION;
    if (p >> 63) return PADIC_ERROR_LIMIT;
    r.bits = padici_power_bits(p, precision);
    if (r.bits > PADIC_NUM_MAX_BITS) return PADIC_ERROR_PRECISION;
    least = r.bits > 127 || (r.bits == 127 && p == 2) ? PADIC_NUM_RX
            : r.bits > 64                             ? PADIC_NUM_W128
            : p == 2                                  ? PADIC_NUM_B2
            : r.bits > 49                             ? PADIC_NUM_W64
            : r.bits > 32                             ? PADIC_NUM_W49
                                                      : PADIC_NUM_W32;
    if (wanted && wanted < least) return PADIC_ERROR_PRECISION;
    if (p == 2 && wanted > PADIC_NUM_B2 && wanted < PADIC_NUM_W128 && (r.bits == 64 ||
        (wanted == PADIC_NUM_W32 && r.bits > 31) || (wanted == PADIC_NUM_W49 && r.bits > 48)))
        return PADIC_ERROR_PRECISION; // P itself does not fit
    r.form = (padic_num_form)(wanted ? wanted : least);
    r.unit_size = r.form == PADIC_NUM_W32 || (r.form == PADIC_NUM_B2 && precision <= 32) ? 4 : 8;
    r.words = r.form == PADIC_NUM_W128 ? 2 : 1;
    if (r.form == PADIC_NUM_RX) {
        const uint64_t limit = UINT64_C(1) << (limb32 ? 32 : 49);
        uint64_t base = 1;
        if (p >= limit) return PADIC_ERROR_LIMIT;
        for (; base <= (limit - 1) / p; base *= p) r.limb_digits++;
        r.unit_size = limb32 ? 4 : 8;
        r.words = (precision + r.limb_digits - 1) / r.limb_digits;
        r.top_digits = precision - r.limb_digits * (r.words - 1);
    }
    padici_ring_constants(&r);
    r.magic = PADICI_NUM_MAGIC;
    *ring = r;
    return PADIC_OK;
}

PADIC_API padic_result padic_num_ring_init(padic_num_ring *ring, uint64_t p, uint32_t precision,
                                           const padic_num_ring_options *options)
{
    if (!ring) return PADIC_ERROR_ARGUMENT;
    memset(ring, 0, sizeof *ring);
    if (!padic_num_is_prime(p)) return PADIC_ERROR_PRIME;
    return padici_ring_make(ring, p, precision, options, 0);
}

PADIC_API padic_result padic_num_ring_init_radix(padic_num_ring *ring, uint64_t b,
                                                 uint32_t precision,
                                                 const padic_num_ring_options *options)
{
    if (!ring) return PADIC_ERROR_ARGUMENT;
    memset(ring, 0, sizeof *ring);
    if (b < 2) return PADIC_ERROR_ARGUMENT;
    return padici_ring_make(ring, b, precision, options, !padic_num_is_prime(b));
}

static int padici_ring_is(const padic_num_ring *ring)
{
    return ring && ring->magic == PADICI_NUM_MAGIC;
}

static int padici_ring_equal(const padic_num_ring *a, const padic_num_ring *b)
{
    return a == b || (a->p == b->p && a->precision == b->precision && a->form == b->form &&
                      a->unit_size == b->unit_size);
}

// Arrays

// Words of a unit plane for `count` elements, of ring->unit_size bytes; 0 if they overflow.
static uint64_t padici_num_words(const padic_num_ring *ring, uint64_t count)
{
    const uint32_t rx = ring->form == PADIC_NUM_RX;
    uint64_t words;
    if (rx) count = (count >> 5) + ((count & 31) != 0);
    if (!padici_mul_u64(count, rx ? 32u * ring->words : ring->words, &words)) return 0;
    return words >> 58 ? 0 : words;
}

#define PADICI_NUM_TEMPS 60 // residues that an operation may use beside its operands
#define PADICI_NUM_CELLS 4  // the operands and the result of one element

PADIC_API size_t padic_num_scratch_bound(const padic_num_ring *ring)
{
    if (!padici_ring_is(ring) || ring->form != PADIC_NUM_RX) return 0;
    return (PADICI_NUM_TEMPS + PADICI_NUM_CELLS) * sizeof(uint64_t) * (size_t)ring->words;
}

// Takes `size` bytes of a block at *at, rounded to 64; the address 0 if `base` is NULL.
static void *padici_num_take(char *base, uint64_t *at, uint64_t size)
{
    void *here = base ? base + *at : NULL;
    *at += (size + 63) & ~UINT64_C(63);
    return here;
}

// The planes of an array in a block that begins at an address divisible by 64; the bytes of the
// block.
static uint64_t padici_num_lay(padic_num_array *a, const padic_num_ring *ring,
                               padic_num_model model, uint64_t count, char *base)
{
    const uint64_t padded = (count + 63) & ~UINT64_C(63);
    const uint32_t wide = ring->precision > 255;
    uint64_t at = 0;
    uint64_t shape[3];
    memset(a, 0, sizeof *a);
    a->ring = ring;
    a->model = model;
    a->count = count;
    shape[0] = ring->form == PADIC_NUM_RX ? padded / 32 : 2;
    shape[1] = ring->form == PADIC_NUM_RX ? ring->words : count;
    shape[2] = 32;
    a->unit = padic_tensor_nd(
        ring->unit_size == 4 ? PADIC_U32 : PADIC_U64,
        padici_num_take(base, &at, padici_num_words(ring, padded) * ring->unit_size),
        ring->form == PADIC_NUM_RX ? 3 : ring->form == PADIC_NUM_W128 ? 2 : 1,
        ring->form < PADIC_NUM_W128 ? &count : shape);
    if (ring->form == PADIC_NUM_W128) {
        a->unit.stride[0] = (int64_t)padded;
        a->unit.stride[1] = 1;
    }
    if (model != PADIC_NUM_RING)
        a->val = padic_tensor_1d(PADIC_I32, padici_num_take(base, &at, padded * 4), count);
    if (model == PADIC_NUM_BALL)
        a->known = padic_tensor_1d(wide ? PADIC_U16 : PADIC_U8,
                                   padici_num_take(base, &at, padded << wide), count);
    a->status = padic_tensor_1d(PADIC_U8, padici_num_take(base, &at, padded), count);
    a->scratch_size = padic_num_scratch_bound(ring);
    a->scratch = a->scratch_size ? padici_num_take(base, &at, a->scratch_size) : NULL;
    return at;
}

PADIC_API size_t padic_num_array_bound(const padic_num_ring *ring, padic_num_model model,
                                       uint64_t count)
{
    padic_num_array a;
    uint64_t size;
    if (!padici_ring_is(ring) || (uint32_t)model > PADIC_NUM_BALL || count >> 40 ||
        (count && !padici_num_words(ring, (count + 63) & ~UINT64_C(63))))
        return 0;
    size = padici_num_lay(&a, ring, model, count, NULL) + 63; // for the alignment of the block
    return size > (size_t)-1 / 2 ? 0 : (size_t)size;
}

PADIC_API padic_result padic_num_place(padic_num_array *array, const padic_num_ring *ring,
                                       padic_num_model model, uint64_t count, void *memory,
                                       size_t size)
{
    const size_t need = padic_num_array_bound(ring, model, count);
    const size_t skip = (size_t)(0u - (uintptr_t)memory) & 63;
    if (!array || !memory || !need) return PADIC_ERROR_ARGUMENT;
    if (size < skip || size - skip < need - 63) return PADIC_ERROR_CAPACITY;
    padici_num_lay(array, ring, model, count, (char *)memory + skip);
    return PADIC_OK;
}

PADIC_API padic_result padic_num_place_buffer(padic_num_array *array, const padic_num_ring *ring,
                                              padic_num_model model, uint64_t count,
                                              padic_buffer buffer, uint64_t at)
{
    padic_tensor *planes[4];
    uint32_t i;
    if (!array || !buffer.id || at & 63 || at >> 55 || !padic_num_array_bound(ring, model, count))
        return PADIC_ERROR_ARGUMENT;
    padici_num_lay(array, ring, model, count, (char *)(uintptr_t)64); // as if it began there
    array->scratch = NULL;
    array->scratch_size = 0;
    planes[0] = &array->unit;
    planes[1] = &array->val;
    planes[2] = &array->known;
    planes[3] = &array->status;
    for (i = 0; i < 4; i++)
        if (planes[i]->data) {
            planes[i]->buffer = buffer;
            planes[i]->offset = ((uint64_t)(uintptr_t)planes[i]->data - 64 + at) /
                                padic_dtype_size(planes[i]->dtype);
            planes[i]->data = NULL;
        }
    return PADIC_OK;
}

// Where the planes of a call lie. One in a device's memory gets an address that is none: the number
// of its memory in the highest byte, from 1, and the byte in it below, so that ranges compare and
// advance like host memory.
#define PADICI_NUM_PLANES 20 // of one call
typedef struct padici_num_space {
    padic_mem mem[PADICI_NUM_PLANES];
    uint32_t mems, host;
} padici_num_space;

static padic_result padici_space_pointer(padic_context *context, padici_num_space *space,
                                         const padic_tensor *t, uint64_t count, void **pointer)
{
    const uint64_t size = padic_dtype_size(t->dtype);
    padici_place place;
    uint64_t at;
    uint32_t i;
    padic_result result;
    *pointer = t->data;
    if (t->data) { // the view has been checked
        if (space) space->host = 1;
        return PADIC_OK;
    }
    if (!t->buffer.id || !space || sizeof(void *) < 8) {
        result = padici_host_pointer(context, t, pointer);
        if (space && *pointer) space->host = 1;
        return result;
    }
    if (!padici_mul_u64(t->offset, size, &at)) at = UINT64_MAX;
    result = padici_buffer_range(context, t->buffer, at, count * size, &place);
    if (result) return result;
    if (place.host) {
        space->host = 1;
        *pointer = padici_mem_at(place.mem, at);
        return PADIC_OK;
    }
    for (i = 0; i < space->mems && space->mem[i].bits != place.mem.bits;) i++;
    if (i == PADICI_NUM_PLANES || at >> 55) return PADIC_ERROR_LIMIT;
    if (i == space->mems) space->mem[space->mems++] = place.mem;
    *pointer = (void *)(uintptr_t)((uint64_t)(i + 1) << 56 | at);
    return PADIC_OK;
}

// A dense view with `count` elements of one of the dtypes in `allowed` (a mask of 1 << dtype). Only
// with a space it may lie on a device.
static padic_result padici_num_plane_in(padic_context *context, padici_num_space *space,
                                        const padic_tensor *t, uint64_t count, uint32_t allowed,
                                        void **pointer)
{
    uint64_t n, i, step = 1;
    uint32_t axis;
    int64_t stride[PADIC_MAX_RANK];
    padic_result result = padici_tensor_check_shape(t, &n);
    *pointer = NULL;
    if (result) return result;
    if (!(allowed >> (uint32_t)t->dtype & 1)) return PADIC_ERROR_DTYPE;
    if (n != count) return PADIC_ERROR_MISMATCH;
    if (!count) return PADIC_OK;
    padici_tensor_dense(t, stride);
    for (axis = t->rank; axis > 0; axis--) {
        i = t->shape[axis - 1];
        if (i > 1 && stride[axis - 1] != (int64_t)step) return PADIC_ERROR_ARGUMENT;
        step *= i;
    }
    if (!padici_aligned(t->data, padic_dtype_size(t->dtype))) return PADIC_ERROR_ALIGNMENT;
    result = padici_space_pointer(context, space, t, count, pointer);
    if (result) return result;
    return *pointer ? PADIC_OK : PADIC_ERROR_ARGUMENT;
}

static padic_result padici_num_plane(padic_context *context, const padic_tensor *t, uint64_t count,
                                     uint32_t allowed, void **pointer)
{
    return padici_num_plane_in(context, NULL, t, count, allowed, pointer);
}

// The planes of an array as loops want them. `first` is not added yet.
static padic_result padici_num_planes_in(padic_context *context, padici_num_space *space,
                                         const padic_num_array *a, padic_num_planes *planes)
{
    const padic_num_ring *r = a->ring;
    padic_result result;
    const padic_tensor *unit = &a->unit;
    padic_tensor whole;
    const uint32_t word = 1u << (r->unit_size == 4 ? PADIC_U32 : PADIC_U64);
    uint64_t words = padici_num_words(r, a->count);
    memset(planes, 0, sizeof *planes);
    if (!a->count) return PADIC_OK;
    if (!words) return padici_blame(context, PADIC_ERROR_LIMIT, NULL, "count", NULL);
    if (r->form == PADIC_NUM_W128) { // one plane after the other, or further apart
        if (unit->rank != 2 || unit->shape[0] != 2 || unit->shape[1] != a->count)
            return padici_blame(context, unit->rank > PADIC_MAX_RANK ? PADIC_ERROR_LIMIT
                                                                     : PADIC_ERROR_MISMATCH,
                                NULL, "unit", "must have the shape (2, count)");
        planes->high = unit->stride[0] ? (uint64_t)unit->stride[0] : a->count;
        if (unit->stride[0] && (unit->stride[0] < (int64_t)a->count || unit->stride[1] != 1))
            return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, "unit", NULL);
        whole = padic_tensor_1d(unit->dtype, unit->data, words = planes->high + a->count);
        whole.buffer = unit->buffer;
        whole.offset = unit->offset;
        unit = &whole;
    } else if (r->form == PADIC_NUM_RX && unit->rank == 3) { // padding beyond the last tile is fine
        whole = a->unit;
        if (whole.shape[0] > words / (32u * r->words)) whole.shape[0] = words / (32u * r->words);
        unit = &whole;
    }
    result = padici_num_plane_in(context, space, unit, words, word, &planes->unit);
    if (result) return padici_blame(context, result, NULL, "unit", NULL);
    if (a->model != PADIC_NUM_RING) {
        result = padici_num_plane_in(context, space, &a->val, a->count,
                                     1u << PADIC_I32 | 1u << PADIC_I16, &planes->val);
        if (result) return padici_blame(context, result, NULL, "val", NULL);
        planes->val16 = a->val.dtype == PADIC_I16;
    }
    if (a->model == PADIC_NUM_BALL) {
        result = padici_num_plane_in(context, space, &a->known, a->count,
                                     (r->precision > 255 ? 0 : 1u << PADIC_U8) | 1u << PADIC_U16,
                                     &planes->known);
        if (result) return padici_blame(context, result, NULL, "known", NULL);
        planes->known16 = a->known.dtype == PADIC_U16;
    }
    return PADIC_OK;
}

static padic_result padici_num_planes_of(padic_context *context, const padic_num_array *a,
                                         padic_num_planes *planes)
{
    return padici_num_planes_in(context, NULL, a, planes);
}

// Have two arrays the same units?
static int padici_num_same_units(const padic_num_array *a, const padic_num_array *b)
{
    if (a->unit.data || b->unit.data) return a->unit.data == b->unit.data;
    return a->unit.buffer.id && a->unit.buffer.id == b->unit.buffer.id &&
           a->unit.offset == b->unit.offset;
}

static void padici_num_advance(const padic_num_ring *r, padic_num_planes *p, uint64_t first)
{
    if (!p->unit || p->scalar) return;
    p->unit = (char *)p->unit +
              (r->form == PADIC_NUM_RX ? first * r->words : first) * r->unit_size; // first in tiles
    if (p->val) p->val = (char *)p->val + first * (p->val16 ? 2 : 4);
    if (p->known) p->known = (char *)p->known + first * (p->known16 ? 2 : 1);
}

// Elements

// One number at work: NaN and ZERO by v as in a plane, `bits` what happened to it.
typedef struct padici_cell {
    int32_t v;
    uint32_t n, bits;
    uint64_t *u; // ring->words words
} padici_cell;

PADICI_INLINE uint64_t padici_word(const padic_num_ring *r, const void *plane, uint64_t i)
{
    return r->unit_size == 4 ? ((const uint32_t *)plane)[i] : ((const uint64_t *)plane)[i];
}

PADICI_INLINE void padici_word_set(const padic_num_ring *r, void *plane, uint64_t i, uint64_t x)
{
    if (r->unit_size == 4)
        ((uint32_t *)plane)[i] = (uint32_t)x;
    else
        ((uint64_t *)plane)[i] = x;
}

// As it stands in the plane.
PADICI_INLINE int32_t padici_val_raw(const padic_num_planes *p, uint64_t i)
{
    int32_t v;
    if (!p->val16) return ((const int32_t *)p->val)[i];
    v = ((const int16_t *)p->val)[i];
    return v == PADIC_NUM_ZERO16 ? PADIC_NUM_ZERO : v == PADIC_NUM_NAN16 ? PADIC_NUM_NAN : v;
}

PADICI_INLINE int padici_val_finite(int32_t v)
{
    const uint32_t most = (uint32_t)PADIC_NUM_MAX_VALUATION;
    return (uint32_t)v + most <= 2 * most;
}

// As operations see it: beyond the limits it is what a result there would have become, so that
// sums of valuations stay below 2^31.
PADICI_INLINE int32_t padici_val_load(const padic_num_planes *p, uint64_t i)
{
    const int32_t v = padici_val_raw(p, i);
    return padici_val_finite(v) ? v : v > 0 ? PADIC_NUM_ZERO : PADIC_NUM_NAN;
}

PADICI_INLINE void padici_val_store(const padic_num_planes *p, uint64_t i, int32_t v)
{
    if (!p->val16)
        ((int32_t *)p->val)[i] = v;
    else
        ((int16_t *)p->val)[i] = (int16_t)(v == PADIC_NUM_ZERO  ? PADIC_NUM_ZERO16
                                           : v == PADIC_NUM_NAN ? PADIC_NUM_NAN16
                                                                : v);
}

// Where the words of element i begin, and the distance from one to the next.
PADICI_INLINE uint64_t padici_num_at(const padic_num_ring *r, const padic_num_planes *p, uint64_t i,
                                     uint64_t *step)
{
    *step = r->form == PADIC_NUM_RX ? 32 : p->high;
    return r->form == PADIC_NUM_RX ? (i >> 5) * 32 * r->words + (i & 31) : i;
}

// Element i of an operand as it stands; x->u has room. A NaN brings its status byte as bits.
static void padici_cell_raw(const padic_num_ring *r, const padic_num_planes *p, uint64_t i,
                            padici_cell *x)
{
    uint64_t at, step;
    uint32_t k;
    if (p->scalar) i = 0;
    at = padici_num_at(r, p, i, &step);
    for (k = 0; k < r->words; k++) x->u[k] = padici_word(r, p->unit, at + k * step);
    x->v = p->val ? padici_val_raw(p, i) : 0;
    x->n = r->precision;
    x->bits = 0;
    if (p->known)
        x->n = p->known16 ? ((const uint16_t *)p->known)[i] : ((const uint8_t *)p->known)[i];
    if (x->v == PADIC_NUM_NAN) x->bits = (uint32_t)x->u[0] & 255;
}

// Is u below p^n, n <= N, limb by limb?
static int padici_ring_below(const padic_num_ring *r, const uint64_t *u, uint32_t n)
{
    uint32_t i, k;
    if (r->form < PADIC_NUM_W128)
        return n == r->precision ? !r->base || u[0] < r->base : u[0] < r->power[n][0];
    if (r->form == PADIC_NUM_W128)
        return padici_wide_less(padici_wide_load(u), padici_wide_load(r->power[n]));
    for (i = 0; i < r->words; i++, n -= k) {
        k = n < r->limb_digits ? n : r->limb_digits;
        if (u[i] >= r->power[k][0]) return 0;
    }
    return 1;
}

// u mod p^n of any words.
static void padici_ring_tame(const padic_num_ring *r, uint64_t *u, uint32_t n)
{
    padici_wide rest;
    uint32_t i, k;
    if (r->form == PADIC_NUM_W128) {
        padici_wide_div(padici_wide_load(u), padici_wide_load(r->power[n]), &rest);
        padici_wide_store(u, rest);
    } else if (r->form < PADIC_NUM_W128) {
        u[0] %= r->power[n][0];
    } else {
        for (i = 0; i < r->words; i++, n -= k) {
            k = n < r->limb_digits ? n : r->limb_digits;
            u[i] %= r->power[k][0];
        }
    }
}

// Element i of an operand. Planes are the caller's, so whatever they hold: u below p^n, n at most
// N, v within its limits or special. That p does not divide u is taken on trust.
static void padici_cell_load(const padic_num_call *call, const padic_num_planes *p, uint64_t i,
                             padici_cell *x)
{
    const padic_num_ring *r = call->ring;
    padici_cell_raw(r, p, i, x);
    if (PADICI_UNLIKELY(!padici_val_finite(x->v)) && x->v != PADIC_NUM_ZERO) {
        if (x->v != PADIC_NUM_NAN) {
            x->bits = x->v > 0 ? PADIC_NUM_INEXACT : PADIC_NUM_RANGE;
            x->v = x->v > 0 ? PADIC_NUM_ZERO : PADIC_NUM_NAN;
        }
        memset(x->u, 0, r->words * sizeof *x->u);
        x->u[0] = x->v == PADIC_NUM_NAN ? x->bits : 0;
        x->n = p->known ? 0 : x->n;
        return;
    }
    if (PADICI_UNLIKELY(x->n > r->precision)) x->n = r->precision;
    if (PADICI_UNLIKELY(!padici_ring_below(r, x->u, x->n))) padici_ring_tame(r, x->u, x->n);
}

// Writes element i of call->out: specials for hard bits and for valuations beyond the limits, the
// status byte, and the bits of the call.
static void padici_cell_store(padic_num_call *call, uint64_t i, padici_cell *x)
{
    const padic_num_ring *r = call->ring;
    const padic_num_planes *p = &call->out;
    uint64_t at, step;
    uint32_t k;
    if (p->val && x->v != PADIC_NUM_ZERO && x->v != PADIC_NUM_NAN) {
        const int32_t limit = p->val16 ? PADIC_NUM_MAX_VALUATION16 : PADIC_NUM_MAX_VALUATION;
        if (x->v > limit) {
            x->v = PADIC_NUM_ZERO;
            x->bits |= PADIC_NUM_INEXACT;
        } else if (x->v < -limit) {
            x->bits |= PADIC_NUM_RANGE;
        }
    }
    if (x->bits & PADIC_NUM_HARD) x->v = PADIC_NUM_NAN;
    if (x->v == PADIC_NUM_NAN || x->v == PADIC_NUM_ZERO) {
        memset(x->u, 0, r->words * sizeof *x->u);
        x->n = 0;
        if (p->val && x->v == PADIC_NUM_NAN) x->u[0] = x->bits;
    }
    at = padici_num_at(r, p, i, &step);
    for (k = 0; k < r->words; k++) padici_word_set(r, p->unit, at + k * step, x->u[k]);
    if (p->val) padici_val_store(p, i, x->v);
    if (p->known) {
        if (p->known16)
            ((uint16_t *)p->known)[i] = (uint16_t)x->n;
        else
            ((uint8_t *)p->known)[i] = (uint8_t)x->n;
    }
    if (call->status) call->status[i] = (uint8_t)x->bits;
    call->bits |= x->bits;
}

// Makes p^v u canonical. In: u any residue, n digits of it known. FLOAT: strips p from u; 0 becomes
// ZERO with PRECLOSS. BALL: u mod p^n, then the same; nothing left is O(p^(v+n)) with PRECLOSS.
static void padici_cell_normal(const padic_num_call *call, padici_cell *x)
{
    const padic_num_ring *r = call->ring;
    uint32_t w;
    if (call->model == PADIC_NUM_RING || x->v == PADIC_NUM_ZERO || x->v == PADIC_NUM_NAN ||
        x->bits & PADIC_NUM_HARD)
        return;
    if (call->model == PADIC_NUM_BALL) padici_ring_low(r, x->u, x->u, x->n);
    w = padici_ring_valuation(r, x->u);
    if (w == r->precision) { // u is 0
        if (call->model == PADIC_NUM_FLOAT)
            x->v = PADIC_NUM_ZERO;
        else if (x->n)
            x->v += (int32_t)x->n;
        else
            return; // O(p^v) as it came
        x->n = 0;
        x->bits |= PADIC_NUM_PRECLOSS;
    } else if (w) {
        padici_ring_down(r, x->u, x->u, w);
        x->v += (int32_t)w;
        x->n -= w;
    }
}

// One element of an operation: *x from *a, *b, *c, those that the operation has. x->u is none of
// theirs; x comes with v = 0, n = N, bits = 0. `temp` has room for PADICI_NUM_TEMPS residues.
typedef void (*padici_num_one)(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                               const padici_cell *b, const padici_cell *c, uint64_t *temp);

// Elements first to end - 1 of any operation, for every form and model.
static void padici_num_span(padic_num_call *call, uint64_t first, uint64_t end, padici_num_one one)
{
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)];
    uint64_t *words = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local, i;
    padici_cell x, a, b, c;
    memset(&x, 0, sizeof x);
    a = b = c = x;
    x.u = words;
    a.u = words + r->words;
    b.u = words + 2 * r->words;
    c.u = words + 3 * r->words;
    for (i = first; i < end; i++) {
        if (call->a.unit) padici_cell_load(call, &call->a, i, &a);
        if (call->b.unit) padici_cell_load(call, &call->b, i, &b);
        if (call->c.unit) padici_cell_load(call, &call->c, i, &c);
        x.v = 0;
        x.n = r->precision;
        x.bits = 0;
        (*one)(call, &x, &a, &b, &c, words + PADICI_NUM_CELLS * r->words);
        padici_cell_store(call, i, &x);
    }
}

// The plain loop of an operation.
PADICI_INLINE void padici_num_each(padic_num_call *call, padici_num_one one)
{
    padici_num_span(call, 0, call->count, one);
}

// Calls

#define PADICI_NUM_SILENT \
    "an element has no result, and there is neither status nor sticky to say which"

#define PADICI_NUM_OTHERS 4
#define PADICI_NUM_CHUNKS 64u // so that the bits of all chunks fit on the stack

// A range of memory that a call uses.
typedef struct padici_num_range {
    uintptr_t begin, end;
    uint32_t kind; // planes of the same kind may be the same range; 0: may not
    uint32_t out;
} padici_num_range;

// An operation on whole arrays. The caller sets kernel, k, dtype, ... of `call`, the arrays (NULL:
// none) and the loop; padici_num_run() does the rest. Other operands are dense tensors with
// other_each[j] elements for each number, found by the loop in call->other[j]; the dtype of the
// first is call->dtype.
typedef struct padici_num_task {
    padic_num_call call;
    const padic_num_array *out, *a, *b, *c;
    const padic_tensor *other[PADICI_NUM_OTHERS];
    uint64_t other_each[PADICI_NUM_OTHERS]; // 0: 1
    uint32_t other_planes;      // bit j: other[j] has shape (other_each[j], count), not the reverse
    uint64_t c_count;                       // c has this many elements, and stays where it is ...
    uint32_t c_moves;                       // 1: ... or moves on with the others
    uint32_t c_out; // 1: c is the result of all elements of a (and b): one piece, one status byte
    uint32_t other_dtypes[PADICI_NUM_OTHERS]; // allowed, 1 << dtype
    uint32_t other_out;         // bit j: other[j] is written
    const padic_tensor *status; // where there is no `out` array
    uint32_t *sticky;
    uint32_t composite; // 1: a composite radix will do
    uint32_t whole;      // 1: never cut into pieces
    uint32_t free_rings; // 1: a and b may have rings of their own (precision, prime)
    void (*loop)(padic_num_call *call);
    const char *name;           // of the operation, and of its operands: out, a, b, c,
    const char *field[4];
    const char *other_field[PADICI_NUM_OTHERS];
    // of padici_num_run()
    padic_context *context;
    padici_num_space space;
    uint32_t range_count;
    uint32_t *sticky_word;
    uint32_t report; // 1: on a device, too, call.bits is wanted
    uint64_t count, chunk;
    size_t scratch, scratch_pieces; // bytes for one piece, and for how many there are
    // from here on not cleared first
    padici_num_range ranges[PADICI_NUM_PLANES + 2];
    uint32_t bits[PADICI_NUM_CHUNKS];
} padici_num_task;

// The call for elements first to first + count - 1.
static padic_num_call padici_num_part(const padici_num_task *task, uint64_t first, uint64_t count)
{
    padic_num_call call = task->call;
    uint32_t j;
    call.first = first;
    call.count = count;
    padici_num_advance(call.ring, &call.out, first);
    padici_num_advance(task->a ? task->a->ring : call.ring, &call.a, first);
    padici_num_advance(task->b ? task->b->ring : call.ring, &call.b, first);
    padici_num_advance(call.ring, &call.c, first);
    if (call.status) call.status += first;
    for (j = 0; j < PADICI_NUM_OTHERS; j++)
        if (call.other[j])
            call.other[j] = (char *)call.other[j] +
                            first * (task->other_planes >> j & 1 ? 1 : task->other_each[j]) *
                                padic_dtype_size(task->other[j]->dtype);
    return call;
}

static void padici_num_loop(const padici_num_task *task, padic_num_call *call)
{
    if (!call->kernel || padici_kernel(task->context, call->kernel, call) != PADIC_OK)
        (*task->loop)(call);
}

static void padici_num_chunk(void *arg, uint32_t index)
{
    padici_num_task *task = (padici_num_task *)arg;
    const uint64_t first = index * task->chunk, left = task->count - first;
    padic_num_call call = padici_num_part(task, first, left < task->chunk ? left : task->chunk);
    if (call.scratch) call.scratch = (char *)call.scratch + index * task->scratch;
    padici_num_loop(task, &call);
    task->bits[index] = call.bits;
}

static void padici_num_range_add(padici_num_range *list, uint32_t *n, const void *p, uint64_t bytes,
                                 uint32_t kind, uint32_t out)
{
    if (!p || !bytes) return;
    list[*n].begin = (uintptr_t)p;
    list[*n].end = (uintptr_t)p + (uintptr_t)bytes;
    list[*n].kind = kind;
    list[*n].out = out;
    ++*n;
}

static void padici_num_ranges(const padic_num_ring *r, const padic_num_planes *p, uint64_t count,
                              uint32_t out, padici_num_range *list, uint32_t *n)
{
    uint64_t words = p->high ? p->high + count : padici_num_words(r, count);
    padici_num_range_add(list, n, p->unit, words * r->unit_size, 1, out);
    padici_num_range_add(list, n, p->val, count * (p->val16 ? 2 : 4), 2, out);
    padici_num_range_add(list, n, p->known, count * (p->known16 ? 2 : 1), 3, out);
}

static padic_result padici_num_overlap(const padici_num_range *list, uint32_t n)
{
    uint32_t i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n && list[i].out; j++) {
            const int same = list[i].begin == list[j].begin && list[i].end == list[j].end &&
                             list[i].kind == list[j].kind && list[i].kind && !list[j].out;
            if (i != j && !same && list[i].begin < list[j].end && list[j].begin < list[i].end)
                return PADIC_ERROR_OVERLAP;
        }
    return PADIC_OK;
}

// One array operand: is it sound, and does it go with the others?
static padic_result padici_num_operand(padici_num_task *task, const padic_num_array *a,
                                       padic_num_planes *planes, padici_num_range *list,
                                       uint32_t *n)
{
    const int out = planes == &task->call.out || (planes == &task->call.c && task->c_out);
    const int own = task->free_rings && (planes == &task->call.a || planes == &task->call.b);
    const int moves = planes == &task->call.c && task->c_count;
    padic_context *const context = task->context;
    padic_result result;
    if (!padici_ring_is(a->ring))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, "ring",
                            "was not made by num_ring_init");
    if ((uint32_t)a->model > PADIC_NUM_BALL)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, "model",
                            "must be RING, FLOAT or BALL");
    if (a->ring->composite && !task->composite)
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, NULL, "ring",
                            "has a radix that is no prime: only digits and text take one");
    if (!own && !padici_ring_equal(a->ring, task->call.ring))
        return padici_blame(context, PADIC_ERROR_RING, NULL, "ring",
                            "is another than that of the others: convert with "
                            "num_set_precision or num_change_prime");
    if (!own && a->model != task->call.model)
        return padici_blame(context, PADIC_ERROR_RING, NULL, "model",
                            "is another than that of the others: all are RING, FLOAT or BALL");
    if (moves ? a->count != task->c_count : a->count != task->count && (out || a->count != 1))
        return padici_blame(context, PADIC_ERROR_MISMATCH, NULL, "count",
                            out || moves ? "is not what the other operands ask for"
                                         : "must be 1 or that of the others");
    result = padici_num_planes_in(context, &task->space, a, planes);
    if (result) return result;
    planes->scalar = moves ? !task->c_moves : a->count != task->count;
    padici_num_ranges(a->ring, planes, a->count, (uint32_t)out, list, n);
    return PADIC_OK;
}

// Checks everything, then runs the loop, in pieces if the context has workers.
static padic_result padici_num_check_task(padici_num_task *task)
{
    padic_num_call *call = &task->call;
    const padic_num_array *arrays[4];
    padic_num_planes *planes[4];
    padici_num_range *const list = task->ranges;
    const padic_num_array *target = task->c_out ? task->c : task->out;
    const padic_num_array *owner = target ? target : task->a; // of the scratch
    const padic_tensor *status = target ? &target->status : task->status;
    uint32_t j, n = 0;
    padic_result result;
    arrays[0] = task->out;
    arrays[1] = task->a;
    arrays[2] = task->b;
    arrays[3] = task->c;
    planes[0] = &call->out;
    planes[1] = &call->a;
    planes[2] = &call->b;
    planes[3] = &call->c;
    for (j = 0; j < 4; j++)
        if (arrays[j]) {
            result = padici_num_operand(task, arrays[j], planes[j], list, &n);
            if (result) return padici_blame(task->context, result, task->field[j], NULL, NULL);
        }
    for (j = 0; j < PADICI_NUM_OTHERS; j++)
        if (task->other[j]) {
            uint64_t count;
            if (!task->other_each[j]) task->other_each[j] = 1;
            result = PADIC_ERROR_LIMIT;
            if (padici_mul_u64(task->count, task->other_each[j], &count))
                result = padici_num_plane_in(task->context, &task->space, task->other[j], count,
                                             task->other_dtypes[j], &call->other[j]);
            if (result)
                return padici_blame(task->context, result, task->other_field[j], NULL, NULL);
            padici_num_range_add(list, &n, call->other[j],
                                 count * padic_dtype_size(task->other[j]->dtype), 0,
                                 task->other_out >> j & 1);
        }
    if (task->other[0]) call->dtype = task->other[0]->dtype;
    if (status && (status->dtype || status->data)) {
        const uint64_t count = task->c_out ? 1 : task->count;
        void *p;
        result = padici_num_plane_in(task->context, &task->space, status, count, 1u << PADIC_U8,
                                     &p);
        if (result) return padici_blame(task->context, result, "status", NULL, NULL);
        call->status = (uint8_t *)p;
        padici_num_range_add(list, &n, p, count, 0, 1);
    }
    if (target && (target->sticky_word.dtype || target->sticky_word.data)) {
        void *p;
        result = padici_num_plane_in(task->context, &task->space, &target->sticky_word, 1,
                                     1u << PADIC_U32, &p);
        if (result) return padici_blame(task->context, result, "sticky_word", NULL, NULL);
        task->sticky_word = (uint32_t *)p;
        padici_num_range_add(list, &n, p, sizeof(uint32_t), 0, 1);
    }
    if (target && target->sticky) task->sticky = target->sticky;
    if (!padici_aligned(task->sticky, sizeof *task->sticky))
        return padici_blame(task->context, PADIC_ERROR_ALIGNMENT, "sticky", NULL, NULL);
    padici_num_range_add(list, &n, task->sticky, sizeof(uint32_t), 0, 1);
    if (call->ring->form == PADIC_NUM_RX || (task->a && task->a->ring->form == PADIC_NUM_RX)) {
        task->scratch = padic_num_scratch_bound(call->ring);
        if (task->a && padic_num_scratch_bound(task->a->ring) > task->scratch)
            task->scratch = padic_num_scratch_bound(task->a->ring);
        if (task->free_rings && owner->scratch_size < task->scratch) owner = task->a;
        if (!owner->scratch || owner->scratch_size < task->scratch)
            return task->count || task->c_out
                       ? padici_blame(task->context, PADIC_ERROR_CAPACITY, "scratch", NULL,
                                      "is missing or too small: see num_scratch_bound")
                       : PADIC_OK;
        if (!padici_aligned(owner->scratch, 8))
            return padici_blame(task->context, PADIC_ERROR_ALIGNMENT, "scratch", NULL, NULL);
        call->scratch = owner->scratch;
        task->scratch_pieces = owner->scratch_size / task->scratch;
        padici_num_range_add(list, &n, owner->scratch, owner->scratch_size, 0, 1);
    }
    task->range_count = n;
    if (task->space.mems && task->space.host) return PADIC_ERROR_ARGUMENT;
    return padici_num_overlap(list, n);
}

// Runs the loop, in pieces if the context has workers.
static void padici_num_pieces(padici_num_task *task)
{
    const padic_jobs *jobs = padici_jobs(task->context);
    uint64_t pieces = 1;
    uint32_t j;
    if (jobs && jobs->workers > 1 && !task->c_out && !task->whole) pieces += task->count >> 14;
    if (pieces > PADICI_NUM_CHUNKS) pieces = PADICI_NUM_CHUNKS;
    if (task->scratch && pieces > task->scratch_pieces) pieces = task->scratch_pieces;
    task->chunk = ((task->count + pieces - 1) / pieces + 63) & ~UINT64_C(63);
    pieces = task->count ? (task->count + task->chunk - 1) / task->chunk : 1;
    if (pieces > 1) {
        padici_parallel(jobs, (uint32_t)pieces, padici_num_chunk, task);
        for (j = 0; j < pieces; j++) task->call.bits |= task->bits[j];
    } else {
        task->call.count = task->count;
        padici_num_loop(task, &task->call);
    }
    if (task->sticky_word) *task->sticky_word |= task->call.bits;
}

// Moves a pointer of the call from a device's memory to the copy of its range.
static void padici_num_redirect(const padici_num_task *task, char *base, const uint64_t *at,
                                void **pointer)
{
    uint32_t i;
    for (i = 0; i < task->range_count && *pointer; i++)
        if ((uintptr_t)*pointer == task->ranges[i].begin) {
            *pointer = base + at[i];
            return;
        }
}

static void padici_num_redirect_all(padici_num_task *task, char *base, const uint64_t *at)
{
    padic_num_planes *planes[4];
    void *status = task->call.status, *word = task->sticky_word;
    uint32_t i;
    planes[0] = &task->call.out;
    planes[1] = &task->call.a;
    planes[2] = &task->call.b;
    planes[3] = &task->call.c;
    for (i = 0; i < 4; i++) {
        padici_num_redirect(task, base, at, &planes[i]->unit);
        padici_num_redirect(task, base, at, &planes[i]->val);
        padici_num_redirect(task, base, at, &planes[i]->known);
        padici_num_redirect(task, base, at, &task->call.other[i]);
    }
    padici_num_redirect(task, base, at, &status);
    padici_num_redirect(task, base, at, &word);
    task->call.status = (uint8_t *)status;
    task->sticky_word = (uint32_t *)word;
}

static uint64_t padici_num_range_size(const padici_num_range *range)
{
    return (uint64_t)(range->end - range->begin);
}

// Copies of the ranges that lie on the device, to the host or back.
static padic_result padici_num_copies(padici_num_task *task, char *base, const uint64_t *at,
                                      int back)
{
    padic_context *const context = task->context;
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < task->range_count && !result; i++) {
        const padici_num_range *range = &task->ranges[i];
        const uint64_t address = (uint64_t)range->begin, size = padici_num_range_size(range);
        padici_place device, host;
        if (at[i] == UINT64_MAX || (back && !range->out)) continue;
        device.mem = task->space.mem[(address >> 56) - 1];
        device.at = address & (UINT64_MAX >> 8);
        device.host = 0;
        host.mem.bits = (uint64_t)(uintptr_t)base;
        host.at = at[i];
        host.host = 1;
        result = padici_target_move(context, &context->targets[0], back ? &device : &host,
                                    back ? &host : &device, size);
        context->stats.kernels.staged_bytes += size;
    }
    return result;
}

// The loop on copies in host memory, which is no more than a detour.
static padic_result padici_num_staged(padici_num_task *task)
{
    padic_context *const context = task->context;
    uint64_t at[PADICI_NUM_PLANES + 2], size = 0;
    uint32_t i, j, block;
    char *base;
    padic_result result;
    if (context->strict)
        return padici_fail_in(context, PADIC_ERROR_NOT_SUPPORTED, task->name,
                              "not done by the device, and this context is strict");
    for (i = 0; i < task->range_count; i++) { // in place: one copy
        at[i] = UINT64_MAX;
        for (j = 0; j < i && task->ranges[j].begin != task->ranges[i].begin;) j++;
        if (j < i) at[i] = at[j];
        if (j < i || task->ranges[i].begin == (uintptr_t)task->sticky ||
            (task->scratch && task->ranges[i].begin == (uintptr_t)task->call.scratch))
            continue;
        at[i] = size;
        size += (padici_num_range_size(&task->ranges[i]) + 63) & ~UINT64_C(63);
    }
    result = padici_pool_take(context, &context->pools[1], size ? size : 1, &block);
    if (result) return result;
    base = (char *)padici_mem_at(context->pools[1].blocks[block].mem, 0);
    result = padici_num_copies(task, base, at, 0);
    if (!result) {
        padici_num_redirect_all(task, base, at);
        padici_num_pieces(task);
        result = padici_num_copies(task, base, at, 1);
    }
    padici_pool_give(context, &context->pools[1], block);
    if (!result && !context->stats.kernels.fallbacks++)
        padici_log_write(&context->log, PADIC_LOG_WARNING, 0,
                         "num: an operation on buffers was done on the host (said once)");
    return result;
}

// Planes on a device: by its driver, or on copies.
static padic_result padici_num_device(padici_num_task *task)
{
    const uint32_t kernel = task->call.kernel;
    const int soft = // no hard bit can come of these
        kernel == PADIC_KERNEL_NUM_EQUAL || kernel == PADIC_KERNEL_NUM_TROPICAL ||
        kernel == PADIC_KERNEL_NUM_RANDOM ||
        (task->call.model == PADIC_NUM_RING &&
         ((kernel >= PADIC_KERNEL_NUM_ADD && kernel <= PADIC_KERNEL_NUM_FMA) ||
          kernel == PADIC_KERNEL_NUM_HORNER || kernel == PADIC_KERNEL_NUM_DOT ||
          kernel == PADIC_KERNEL_NUM_SUM || kernel == PADIC_KERNEL_NUM_FROM_INT));
    padic_result result = PADIC_ERROR_NOT_SUPPORTED;
    task->report = task->sticky || (!task->sticky_word && !task->call.status && !soft);
    if (kernel) result = padici_drive(task->context, kernel, task, 1);
    if (!result) result = padici_drive(task->context, kernel, task, 0);
    if (result == PADIC_ERROR_NOT_SUPPORTED) result = padici_num_staged(task);
    if (!result) task->context->stats.kernels.calls++;
    return result;
}

static padic_result padici_num_run(padic_context *context, padici_num_task *task)
{
    const padic_num_array *first = task->out ? task->out : task->a;
    padic_result result;
    task->context = context;
    if (!first || !padici_ring_is(first->ring)) {
        padici_blame(context, PADIC_ERROR_ARGUMENT, task->field[task->out ? 0 : 1], "ring",
                     "was not made by num_ring_init");
        return padici_fault(context, PADIC_ERROR_ARGUMENT, task->name);
    }
    task->call.ring = first->ring;
    task->call.model = first->model;
    task->count = first->count;
    result = padici_num_check_task(task);
    if (result == PADIC_ERROR_ARGUMENT && task->space.mems && task->space.host)
        padici_blame(context, result, NULL, NULL,
                     "planes in host memory and on a device in one call");
    if (result) return padici_fault(context, result, task->name);
    if (!task->count && !task->c_out) return PADIC_OK;
    if (task->space.mems)
        result = padici_num_device(task);
    else
        padici_num_pieces(task);
    if (result) return result;
    if (task->sticky) *task->sticky |= task->call.bits;
    if (task->call.bits & PADIC_NUM_HARD && !task->sticky && !task->call.status &&
        !task->sticky_word)
        return padici_fail_in(context, PADIC_ERROR_DOMAIN, task->name, PADICI_NUM_SILENT);
    return PADIC_OK;
}

static void padici_num_task_begin(padici_num_task *task, const char *name, uint32_t kernel,
                                  void (*loop)(padic_num_call *call), const padic_num_array *out,
                                  const padic_num_array *a, const padic_num_array *b,
                                  const padic_num_array *c)
{
    memset(task, 0, offsetof(padici_num_task, ranges));
    task->name = name;
    task->field[0] = "out";
    task->field[1] = "a";
    task->field[2] = "b";
    task->field[3] = "c";
    task->call.kernel = kernel;
    task->loop = loop;
    task->out = out;
    task->a = a;
    task->b = b;
    task->c = c;
}

// One value

PADIC_API padic_result padic_num_get(const padic_num_array *array, uint64_t index,
                                     padic_num_value *value)
{
    padic_num_call call;
    padici_cell x;
    padic_result result;
    if (!array || !value || !padici_ring_is(array->ring)) return PADIC_ERROR_ARGUMENT;
    memset(value, 0, sizeof *value);
    if (array->ring->form == PADIC_NUM_RX) return PADIC_ERROR_NOT_SUPPORTED;
    if (index >= array->count) return PADIC_ERROR_REGION;
    memset(&call, 0, sizeof call);
    call.ring = array->ring;
    if ((result = padici_num_planes_of(NULL, array, &call.a)) != PADIC_OK) return result;
    x.u = value->u;
    padici_cell_raw(call.ring, &call.a, index, &x);
    value->v = x.v;
    value->n = x.n;
    return PADIC_OK;
}

// Is a cell what a plane may hold? `a` is a residue by words; limbs are checked one by one.
static int padici_cell_canonical(const padic_num_call *call, const padic_num_planes *p,
                                 const padici_cell *x)
{
    const padic_num_ring *r = call->ring;
    const int32_t limit = p->val16 ? PADIC_NUM_MAX_VALUATION16 : PADIC_NUM_MAX_VALUATION;
    uint64_t limbs_above = 0;
    uint32_t i, n;
    if (x->v == PADIC_NUM_NAN && p->val) {
        for (i = 1; i < r->words; i++) limbs_above |= x->u[i];
        return x->u[0] < 256 && !limbs_above && (!p->known || !x->n) && x->u[0] & PADIC_NUM_HARD;
    }
    if (r->form == PADIC_NUM_RX) {
        for (i = 0; i < r->words; i++)
            if (x->u[i] >= padici_limb_base(r, i)) return 0;
    } else if (r->form == PADIC_NUM_W128) {
        if (!padici_wide_less(padici_wide_load(x->u), padici_modulus(r))) return 0;
    } else if (r->base && x->u[0] >= r->base) {
        return 0;
    }
    if (call->model == PADIC_NUM_RING) return 1;
    if (x->v == PADIC_NUM_ZERO) return padici_ring_is_zero(r, x->u) && (!p->known || !x->n);
    if (x->v > limit || x->v < -limit || x->n > r->precision) return 0;
    if (call->model == PADIC_NUM_BALL && !x->n) return padici_ring_is_zero(r, x->u);
    if (padici_ring_digit(r, x->u) == 0) return 0;
    n = x->n;
    if (n == r->precision) return 1;
    if (r->form < PADIC_NUM_W128) return x->u[0] < r->power[n][0];
    if (r->form == PADIC_NUM_W128)
        return padici_wide_less(padici_wide_load(x->u), padici_wide_load(r->power[n]));
    for (i = n / r->limb_digits + 1; i < r->words; i++) limbs_above |= x->u[i];
    return !limbs_above && x->u[n / r->limb_digits] < r->power[n % r->limb_digits][0];
}

PADIC_API padic_result padic_num_set(const padic_num_array *array, uint64_t index,
                                     const padic_num_value *value)
{
    padic_num_call call;
    padici_cell x;
    uint64_t u[2];
    padic_result result;
    if (!array || !value || !padici_ring_is(array->ring)) return PADIC_ERROR_ARGUMENT;
    if (array->ring->form == PADIC_NUM_RX) return PADIC_ERROR_NOT_SUPPORTED;
    if (index >= array->count) return PADIC_ERROR_REGION;
    memset(&call, 0, sizeof call);
    call.ring = array->ring;
    call.model = array->model;
    if ((result = padici_num_planes_of(NULL, array, &call.out)) != PADIC_OK) return result;
    u[0] = value->u[0];
    u[1] = value->u[1];
    x.u = u;
    x.v = array->model == PADIC_NUM_RING ? 0 : value->v;
    x.n = array->model == PADIC_NUM_BALL ? value->n : array->ring->precision;
    x.bits = x.v == PADIC_NUM_NAN ? (uint32_t)u[0] : 0;
    if ((array->ring->words == 1 && u[1]) || !padici_cell_canonical(&call, &call.out, &x))
        return PADIC_ERROR_DOMAIN;
    padici_cell_store(&call, index, &x);
    return PADIC_OK;
}

PADIC_API padic_result padic_num_check(padic_context *context, const padic_num_array *array,
                                       uint64_t *bad)
{
    padic_num_call call;
    padici_cell x;
    uint64_t local[2], i;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (bad) *bad = 0;
    if (!array || !padici_ring_is(array->ring) || (uint32_t)array->model > PADIC_NUM_BALL)
        return padici_fail_in(context, result, "num_check", "array has no ring, or no such model");
    memset(&call, 0, sizeof call);
    call.ring = array->ring;
    call.model = array->model;
    if ((result = padici_num_planes_of(context, array, &call.a)) != PADIC_OK) {
        padici_blame(context, result, "array", NULL, NULL);
        return padici_fault(context, result, "num_check");
    }
    x.u = local;
    if (array->ring->form == PADIC_NUM_RX) {
        if (!array->scratch || array->scratch_size < padic_num_scratch_bound(array->ring))
            return padici_fail_in(context, PADIC_ERROR_CAPACITY, "num_check",
                                  "array.scratch is too small: see num_scratch_bound");
        if (!padici_aligned(array->scratch, 8))
            return padici_fail_in(context, PADIC_ERROR_ALIGNMENT, "num_check",
                                  "array.scratch is no multiple of 8: move it");
        x.u = (uint64_t *)array->scratch;
    }
    for (i = 0; i < array->count; i++) {
        padici_cell_raw(call.ring, &call.a, i, &x);
        if (!padici_cell_canonical(&call, &call.a, &x)) {
            if (bad) *bad = i;
            return padici_fail_in(context, PADIC_ERROR_CORRUPT, "num_check",
                                  "an element of array is not canonical: *bad says which");
        }
    }
    return PADIC_OK;
}

// room: src/num/arith.c
// --------------------------------------------------------------------------------- >>arith impl
//
// Each operation is a function of one element (padici_..._one), right for every form and model.
// One-word rings and floats have loops of their own beside it, made for each form, which hand the
// rare elements (specials, limits) to that function.

// What all operations do first: 1 if an operand is NaN, whose bits the result then has.
PADICI_INLINE int padici_cell_nan(padici_cell *x, const padici_cell *a, const padici_cell *b)
{
    const padici_cell *nan = a->v == PADIC_NUM_NAN              ? a
                             : b && b->v == PADIC_NUM_NAN ? b
                                                                : NULL;
    if (!nan) return 0;
    x->v = PADIC_NUM_NAN;
    x->bits = nan->bits;
    return 1;
}

static void padici_cell_copy(const padic_num_ring *r, padici_cell *x, const padici_cell *a)
{
    x->v = a->v;
    x->n = a->n;
    x->bits = a->bits;
    padici_ring_copy(r, x->u, a->u);
}

// A valuation that may lie far outside; padici_cell_store() then sees that it does.
PADICI_INLINE int32_t padici_val_clamp(int64_t v)
{
    const int64_t most = PADIC_NUM_MAX_VALUATION + INT64_C(1);
    return (int32_t)(v > most ? most : v < -most ? -most : v);
}

// a + b, or a - b.
static void padici_cell_sum(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                            const padici_cell *b, int minus, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    int64_t d, known;
    if (call->model == PADIC_NUM_RING) {
        (minus ? padici_ring_sub : padici_ring_add)(r, x->u, a->u, b->u);
        return;
    }
    if (padici_cell_nan(x, a, b)) return;
    if (b->v == PADIC_NUM_ZERO) {
        padici_cell_copy(r, x, a);
        return;
    }
    if (minus) {
        padici_ring_neg(r, temp, b->u);
        padici_ring_low(r, temp, temp, b->n);
    } else {
        padici_ring_copy(r, temp, b->u);
    }
    if (a->v == PADIC_NUM_ZERO) {
        padici_cell_copy(r, x, b);
        padici_ring_copy(r, x->u, temp);
        return;
    }
    x->v = a->v < b->v ? a->v : b->v;
    d = (int64_t)b->v - a->v;
    known = (int64_t)a->v + a->n < (int64_t)b->v + b->n ? (int64_t)a->v + a->n
                                                        : (int64_t)b->v + b->n;
    if (call->model == PADIC_NUM_BALL && known <= x->v) { // not a digit left
        x->v = (int32_t)known;
        x->n = 0;
        memset(x->u, 0, r->words * sizeof *x->u);
        x->bits |= PADIC_NUM_PRECLOSS;
        return;
    }
    if (call->model == PADIC_NUM_BALL) x->n = (uint32_t)(known - x->v);
    if (d >= 0) {
        padici_ring_up(r, temp, temp, (uint64_t)d);
        padici_ring_add(r, x->u, a->u, temp);
    } else {
        padici_ring_up(r, x->u, a->u, (uint64_t)-d);
        padici_ring_add(r, x->u, x->u, temp);
    }
    padici_cell_normal(call, x);
}

// The limits of valuations for an intermediate result, as if it had been stored.
static void padici_cell_limit(padici_cell *x)
{
    if (x->v == PADIC_NUM_NAN || x->v == PADIC_NUM_ZERO) return;
    if (x->v > PADIC_NUM_MAX_VALUATION) {
        x->v = PADIC_NUM_ZERO;
        x->bits |= PADIC_NUM_INEXACT;
    } else if (x->v < -PADIC_NUM_MAX_VALUATION) {
        x->v = PADIC_NUM_NAN;
        x->bits |= PADIC_NUM_RANGE;
    }
}

static void padici_cell_mul(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                            const padici_cell *b)
{
    const padic_num_ring *r = call->ring;
    if (call->model != PADIC_NUM_RING) {
        if (padici_cell_nan(x, a, b)) return;
        if (a->v == PADIC_NUM_ZERO || b->v == PADIC_NUM_ZERO) {
            x->v = PADIC_NUM_ZERO;
            memset(x->u, 0, r->words * sizeof *x->u);
            return;
        }
        x->v = a->v + b->v;
        x->n = a->n < b->n ? a->n : b->n;
    }
    padici_ring_mul(r, x->u, a->u, b->u);
    if (call->model == PADIC_NUM_BALL) padici_ring_low(r, x->u, x->u, x->n);
}

// a / b; a NULL: 1 / b.
static void padici_cell_div(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                            const padici_cell *b, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    uint64_t *const inverse = temp + 2 * r->words;
    if (call->model == PADIC_NUM_RING) {
        if (padici_ring_is_zero(r, b->u))
            x->bits = PADIC_NUM_DIV0;
        else if (!padici_ring_unit(r, b->u))
            x->bits = PADIC_NUM_NONUNIT;
    } else {
        if (padici_cell_nan(x, a ? a : b, b)) return;
        if (b->v == PADIC_NUM_ZERO || !b->n)
            x->bits = PADIC_NUM_DIV0;
        else if (a && a->v == PADIC_NUM_ZERO)
            x->v = PADIC_NUM_ZERO;
        else
            x->v = a ? a->v - b->v : -b->v;
        x->n = a && a->n < b->n ? a->n : b->n;
    }
    if (x->bits || x->v == PADIC_NUM_ZERO) {
        memset(x->u, 0, r->words * sizeof *x->u);
        return;
    }
    if (a) {
        padici_ring_inv(r, inverse, b->u, temp);
        padici_ring_mul(r, x->u, a->u, inverse);
    } else {
        padici_ring_inv(r, x->u, b->u, temp);
    }
    if (call->model == PADIC_NUM_BALL) padici_ring_low(r, x->u, x->u, x->n);
}

static void padici_add_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    (void)c;
    padici_cell_sum(call, x, a, b, 0, temp);
}

static void padici_sub_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    (void)c;
    padici_cell_sum(call, x, a, b, 1, temp);
}

static void padici_neg_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    (void)b;
    (void)c;
    (void)temp;
    padici_cell_copy(call->ring, x, a);
    padici_ring_neg(call->ring, x->u, a->u);
    padici_ring_low(call->ring, x->u, x->u, a->n);
}

static void padici_mul_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    (void)c;
    (void)temp;
    padici_cell_mul(call, x, a, b);
}

static void padici_inv_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    (void)b;
    (void)c;
    padici_cell_div(call, x, NULL, a, temp);
}

static void padici_div_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    (void)c;
    padici_cell_div(call, x, a, b, temp);
}

// x = a b + c through an intermediate at temp.
static void padici_fma_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    padici_cell product;
    product.u = temp + call->ring->words;
    product.v = 0;
    product.n = call->ring->precision;
    product.bits = 0;
    padici_cell_mul(call, &product, a, b);
    padici_cell_limit(&product);
    padici_cell_sum(call, x, &product, c, 0, temp);
    if (x->v != PADIC_NUM_NAN) x->bits |= product.bits;
}

// a p^k.
static void padici_shift_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                             const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    const int64_t k = call->k;
    (void)b;
    (void)c;
    (void)temp;
    padici_cell_copy(r, x, a);
    if (call->model != PADIC_NUM_RING) {
        if (a->v == PADIC_NUM_NAN || a->v == PADIC_NUM_ZERO) return;
        x->v = padici_val_clamp(k > INT32_MAX ? INT32_MAX : k < INT32_MIN ? INT32_MIN : a->v + k);
    } else if (k >= 0) {
        padici_ring_up(r, x->u, a->u, (uint64_t)k);
    } else if (!padici_ring_is_zero(r, a->u) &&
               padici_ring_valuation(r, a->u) < 0 - (uint64_t)k) {
        x->bits = PADIC_NUM_NONUNIT;
        memset(x->u, 0, r->words * sizeof *x->u);
    } else {
        padici_ring_down(r, x->u, a->u, 0 - (uint64_t)k);
        x->bits = PADIC_NUM_PRECLOSS;
    }
}

// a^k for an exponent of sign and magnitude.
static void padici_cell_pow(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                            int negative, padici_wide k, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    uint64_t *const base = temp + 3 * r->words, unit;
    uint32_t i = padici_wide_bits(k);
    const int zero = call->model == PADIC_NUM_RING ? padici_ring_is_zero(r, a->u)
                                                   : a->v == PADIC_NUM_ZERO || !a->n;
    if (call->model != PADIC_NUM_RING && padici_cell_nan(x, a, NULL)) return;
    if (i && negative && zero) x->bits = PADIC_NUM_DIV0;
    if (i && negative && !zero && call->model == PADIC_NUM_RING && !padici_ring_unit(r, a->u))
        x->bits = PADIC_NUM_NONUNIT;
    if (x->bits) {
        memset(x->u, 0, r->words * sizeof *x->u);
        return;
    }
    if (i && call->model != PADIC_NUM_RING) {
        if (a->v == PADIC_NUM_ZERO) {
            x->v = PADIC_NUM_ZERO;
            return;
        }
        if (a->v) {
            const int64_t most = PADIC_NUM_MAX_VALUATION + INT64_C(1);
            const int64_t m = k.high || k.low > (uint64_t)most ? most : (int64_t)k.low;
            x->v = padici_val_clamp(a->v * m * (negative ? -1 : 1));
        }
        x->n = a->n;
        if (a->n) { // (u + O(p^n))^k is known to n + v(k) digits
            padici_wide rest = k, digit;
            for (; x->n < r->precision; x->n++) {
                rest = padici_wide_div(rest, padici_wide_make(r->p, 0), &digit);
                if (!padici_wide_zero(digit)) break;
            }
            // (1 + O(2))^k, k even: of any odd x, x^2 is 1 modulo 8
            if (r->p == 2 && a->n == 1 && !(k.low & 1) && x->n < r->precision) x->n++;
        } else {
            memset(x->u, 0, r->words * sizeof *x->u);
            return; // O(p^v)^k = O(p^(v k))
        }
    }
    if (i && negative)
        padici_ring_inv(r, base, a->u, temp);
    else
        padici_ring_copy(r, base, a->u);
    padici_ring_set(r, x->u, 1);
    while (i-- > 0) {
        padici_ring_mul(r, temp, x->u, x->u);
        unit = i < 64 ? k.low >> i : k.high >> (i - 64);
        if (unit & 1)
            padici_ring_mul(r, x->u, temp, base);
        else
            padici_ring_copy(r, x->u, temp);
    }
    if (call->model == PADIC_NUM_BALL) padici_ring_low(r, x->u, x->u, x->n);
}

static void padici_pow_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    const uint64_t k = call->k < 0 ? 0 - (uint64_t)call->k : (uint64_t)call->k;
    (void)b;
    (void)c;
    padici_cell_pow(call, x, a, call->k < 0, padici_wide_make(k, 0), temp);
}

// One-word loops. `r` is a copy on the stack that no plane can alias, `form` and `kernel` are
// constants: one tight loop comes out for each.

#define PADICI_NUM_BLOCK 64u  // elements that share an inversion
#define PADICI_NUM_SPREAD 32u // copies of a scalar operand, on the stack

PADICI_INLINE uint64_t padici_word_at(padic_num_form form, const void *plane, uint64_t i,
                                      uint32_t narrow)
{
    return form == PADIC_NUM_W32 || (form == PADIC_NUM_B2 && narrow)
               ? ((const uint32_t *)plane)[i]
               : ((const uint64_t *)plane)[i];
}

PADICI_INLINE void padici_word_to(padic_num_form form, void *plane, uint64_t i, uint32_t narrow,
                                  uint64_t x)
{
    if (form == PADIC_NUM_W32 || (form == PADIC_NUM_B2 && narrow))
        ((uint32_t *)plane)[i] = (uint32_t)x;
    else
        ((uint64_t *)plane)[i] = x;
}

PADICI_INLINE void padici_words_ring(const padic_num_ring *r, padic_num_form form, uint32_t kernel,
                                     uint32_t narrow, void *out, const void *pa, const void *pb,
                                     const void *pc, uint64_t n)
{
    uint64_t i;
    for (i = 0; i < n; i++) {
        const uint64_t a = padici_word_at(form, pa, i, narrow);
        const uint64_t b = pb ? padici_word_at(form, pb, i, narrow) : 0;
        const uint64_t x = kernel == PADIC_KERNEL_NUM_ADD   ? padici_add1(r, form, a, b)
                           : kernel == PADIC_KERNEL_NUM_SUB ? padici_sub1(r, form, a, b)
                           : kernel == PADIC_KERNEL_NUM_NEG ? padici_sub1(r, form, 0, a)
                           : kernel == PADIC_KERNEL_NUM_MUL ? padici_mul1(r, form, a, b)
                                : padici_add1(r, form, padici_mul1(r, form, a, b),
                                              padici_word_at(form, pc, i, narrow));
        padici_word_to(form, out, i, narrow, x);
    }
}

// W32 without branches. Products: a quotient from one high product is at most one too small.
// Where compilers make vectors of loops without words above 64 bits: with h = ab 2^-down the
// quotient h mu is at most one too small, too; for P > 2^30 (`wide`) at most three, and for P >
// 2^31 (2) mu has one bit more than 32.
typedef struct padici_mod32 {
    uint64_t high; // floor((2^64 - 1) / p)
    uint32_t p, mu, down;
} padici_mod32;

PADICI_INLINE uint32_t padici_product32(const padici_mod32 *m, int wide, uint32_t a, uint32_t b)
{
    const uint64_t ab = (uint64_t)a * b;
#if defined(__AVX2__)
    const uint64_t two = 2 * (uint64_t)m->p;
    const uint32_t h = (uint32_t)(ab >> m->down);
    uint64_t q = (uint64_t)h * m->mu >> (wide ? 32 : 33), r;
    uint32_t x;
    if (wide == 2) q += h;
    r = ab - (uint64_t)(uint32_t)q * m->p;
    if (wide) {
        r -= two;
        r += (0 - (r >> 63)) & two;
    }
    if (wide < 2) {
        x = (uint32_t)r - m->p;
        return x + ((0u - (x >> 31)) & m->p);
    }
    r -= m->p;
#else
    const uint64_t r = ab - padici_mulhi64(ab, m->high) * m->p - m->p;
    (void)wide;
#endif
    return (uint32_t)(r + ((0 - (r >> 63)) & m->p));
}

PADICI_INLINE uint32_t padici_one32(const padici_mod32 *m, int wide, uint32_t kernel, uint32_t a,
                                    uint32_t b, uint32_t c)
{
    uint32_t x = a, y = kernel == PADIC_KERNEL_NUM_FMA ? c : b;
    if (kernel == PADIC_KERNEL_NUM_MUL || kernel == PADIC_KERNEL_NUM_FMA)
        x = padici_product32(m, wide, a, b);
    if (kernel == PADIC_KERNEL_NUM_NEG) x = a ? m->p - a : 0;
    if (kernel == PADIC_KERNEL_NUM_SUB) x = a - b + (a < b ? m->p : 0);
    if (kernel == PADIC_KERNEL_NUM_ADD || kernel == PADIC_KERNEL_NUM_FMA) {
        const uint32_t gap = m->p - y; // x + y may reach 2^32
        x = x - gap + (x < gap ? m->p : 0);
    }
    return x;
}

// In blocks with places of their own: what is read and what is written may be the same.
PADICI_INLINE void padici_loop32(const padici_mod32 *m, int wide, uint32_t kernel, uint32_t *out,
                                 const uint32_t *pa, const uint32_t *pb, const uint32_t *pc,
                                 uint64_t n)
{
    enum { BLOCK = 32 };
    const padici_mod32 mod = *m;
    uint64_t i = 0;
    uint32_t a[BLOCK], b[BLOCK], c[BLOCK], j;
    memset(b, 0, sizeof b);
    memset(c, 0, sizeof c);
    for (; i + BLOCK <= n; i += BLOCK) {
        memcpy(a, pa + i, sizeof a);
        if (kernel != PADIC_KERNEL_NUM_NEG) memcpy(b, pb + i, sizeof b);
        if (kernel == PADIC_KERNEL_NUM_FMA) memcpy(c, pc + i, sizeof c);
        for (j = 0; j < BLOCK; j++) a[j] = padici_one32(&mod, wide, kernel, a[j], b[j], c[j]);
        memcpy(out + i, a, sizeof a);
    }
    for (; i < n; i++)
        out[i] = padici_one32(&mod, wide, kernel, pa[i], pb ? pb[i] : 0, pc ? pc[i] : 0);
}

PADICI_INLINE void padici_words_ring32(const padic_num_ring *r, uint32_t kernel, uint32_t *out,
                                       const uint32_t *pa, const uint32_t *pb, const uint32_t *pc,
                                       uint64_t n)
{
    padici_mod32 m;
    m.p = (uint32_t)r->base;
    m.mu = m.down = 0;
    m.high = UINT64_MAX / m.p;
    if (kernel != PADIC_KERNEL_NUM_MUL && kernel != PADIC_KERNEL_NUM_FMA) {
        padici_loop32(&m, 0, kernel, out, pa, pb, pc, n);
    } else if (r->bits < 31) {
        m.down = r->bits < 2 ? 0 : r->bits - 2;
        m.mu = (uint32_t)((UINT64_C(1) << (m.down + 33)) / m.p);
        padici_loop32(&m, 0, kernel, out, pa, pb, pc, n);
    } else if (r->bits == 31) {
        m.down = 30;
        m.mu = (uint32_t)((UINT64_C(1) << 62) / m.p);
        padici_loop32(&m, 1, kernel, out, pa, pb, pc, n);
    } else {
        m.down = 32;
        m.mu = (uint32_t)(UINT64_MAX / m.p - (UINT64_C(1) << 32));
        padici_loop32(&m, 2, kernel, out, pa, pb, pc, n);
    }
}

// A span of an operand: itself, or a scalar spread over `room`.
static const void *padici_num_spread(const padic_num_ring *r, const padic_num_planes *p,
                                     uint64_t first, uint64_t *room)
{
    uint32_t i;
    if (!p->unit) return NULL;
    if (!p->scalar) return (const char *)p->unit + first * r->unit_size;
    for (i = 0; i < PADICI_NUM_SPREAD; i++)
        padici_word_set(r, room, i, padici_word(r, p->unit, 0));
    return room;
}

// The same for any form of one word; `kernel` is a constant here.
PADICI_INLINE void padici_ring_loop(padic_num_call *call, uint32_t kernel)
{
    const padic_num_ring r = *call->ring;
    uint64_t room[3][PADICI_NUM_SPREAD];
    const uint64_t whole = call->a.scalar | call->b.scalar | call->c.scalar ? PADICI_NUM_SPREAD
                                                                            : call->count;
    uint64_t first, n;
    for (first = 0; first < call->count; first += n) {
        const void *a = padici_num_spread(&r, &call->a, first, room[0]);
        const void *b = padici_num_spread(&r, &call->b, first, room[1]);
        const void *c = padici_num_spread(&r, &call->c, first, room[2]);
        void *x = (char *)call->out.unit + first * r.unit_size;
        n = call->count - first < whole ? call->count - first : whole;
        if (r.form == PADIC_NUM_W32)
            padici_words_ring32(&r, kernel, (uint32_t *)x, (const uint32_t *)a,
                                (const uint32_t *)b, (const uint32_t *)c, n);
        else if (r.form == PADIC_NUM_W49)
            padici_words_ring(&r, PADIC_NUM_W49, kernel, 0, x, a, b, c, n);
        else if (r.form == PADIC_NUM_W64)
            padici_words_ring(&r, PADIC_NUM_W64, kernel, 0, x, a, b, c, n);
        else if (r.unit_size == 4)
            padici_words_ring(&r, PADIC_NUM_B2, kernel, 1, x, a, b, c, n);
        else
            padici_words_ring(&r, PADIC_NUM_B2, kernel, 0, x, a, b, c, n);
    }
    if (call->status) memset(call->status, 0, (size_t)call->count);
}

// Floats of one word with i32 valuations: a b, a + b, a - b.
PADICI_INLINE void padici_words_float(padic_num_call *call, const padic_num_ring *r,
                                      padic_num_form form, uint32_t kernel, padici_num_one one)
{
    const padic_num_planes a = call->a, b = call->b, out = call->out;
    const uint32_t narrow = r->unit_size == 4;
    uint8_t *const status = call->status;
    uint64_t i, first = 0; // elements from `first` on are done one by one
    for (i = 0; i < call->count; i++) {
        const uint64_t ia = a.scalar ? 0 : i, ib = b.scalar ? 0 : i;
        const int32_t va = ((const int32_t *)a.val)[ia], vb = ((const int32_t *)b.val)[ib];
        uint64_t ua = padici_word_at(form, a.unit, ia, narrow);
        uint64_t ub = padici_word_at(form, b.unit, ib, narrow), x;
        int32_t v;
        uint32_t bits = 0;
        first = i;
        if (PADICI_UNLIKELY(!padici_val_finite(va) || !padici_val_finite(vb))) goto rare;
        if (kernel == PADIC_KERNEL_NUM_MUL) {
            x = padici_mul1(r, form, ua, ub);
            v = va + vb;
            if (PADICI_UNLIKELY(!padici_val_finite(v))) goto rare;
        } else {
            const uint64_t d = (uint64_t)(va < vb ? (int64_t)vb - va : (int64_t)va - vb);
            if (kernel == PADIC_KERNEL_NUM_SUB) ub = padici_sub1(r, form, 0, ub);
            v = va < vb ? va : vb;
            if (d) { // the number further down is a unit there, and stays one
                uint64_t low = va < vb ? ua : ub, high = va < vb ? ub : ua;
                high = d >= r->precision      ? 0
                       : form == PADIC_NUM_B2 ? (high << d) & (r->base - 1)
                                              : padici_mul1(r, form, high, r->power[d][0]);
                x = padici_add1(r, form, low, high);
            } else {
                x = padici_add1(r, form, ua, ub);
                if (!x) {
                    v = PADIC_NUM_ZERO;
                    bits = PADIC_NUM_PRECLOSS;
                } else if (form == PADIC_NUM_B2 || x * r->inverse <= r->ladder_limit[0]) {
                    v += (int32_t)padici_split1(r, x, &x);
                    if (PADICI_UNLIKELY(v > PADIC_NUM_MAX_VALUATION)) goto rare;
                }
            }
        }
        padici_word_to(form, out.unit, i, narrow, x);
        ((int32_t *)out.val)[i] = v;
        if (status) status[i] = (uint8_t)bits;
        call->bits |= bits;
        continue;
    rare:
        padici_num_span(call, first, first + 1, one);
    }
}

PADICI_INLINE void padici_float_loop(padic_num_call *call, uint32_t kernel, padici_num_one one)
{
    const padic_num_ring r = *call->ring;
    if (r.form == PADIC_NUM_W32)
        padici_words_float(call, &r, PADIC_NUM_W32, kernel, one);
    else if (r.form == PADIC_NUM_W49)
        padici_words_float(call, &r, PADIC_NUM_W49, kernel, one);
    else if (r.form == PADIC_NUM_W64)
        padici_words_float(call, &r, PADIC_NUM_W64, kernel, one);
    else
        padici_words_float(call, &r, PADIC_NUM_B2, kernel, one);
}

// Have all operands of a call i32 valuations and one word?
PADICI_INLINE int padici_num_fast(const padic_num_call *call, padic_num_model model)
{
    return call->model == model && call->ring->form < PADIC_NUM_W128 &&
           !(call->a.val16 | call->b.val16 | call->c.val16 | call->out.val16);
}

// add, sub, mul: the fast loops where they serve, else element by element.
#define PADICI_NUM_LOOP(name, one, KERNEL)                                 \
    PADICI_NOINLINE static void padici_##name##_loop(padic_num_call *call) \
    {                                                                      \
        if (padici_num_fast(call, PADIC_NUM_RING))                         \
            padici_ring_loop(call, KERNEL);                                \
        else if (padici_num_fast(call, PADIC_NUM_FLOAT))                   \
            padici_float_loop(call, KERNEL, padici_##one##_one);           \
        else                                                               \
            padici_num_each(call, padici_##one##_one);                     \
    }
PADICI_NUM_LOOP(add, add, PADIC_KERNEL_NUM_ADD)
PADICI_NUM_LOOP(sub, sub, PADIC_KERNEL_NUM_SUB)
PADICI_NUM_LOOP(mul_words, mul, PADIC_KERNEL_NUM_MUL)

// RING products of W128, the planes read and written a word at a time.
static void padici_mul_loop(padic_num_call *call)
{
    const padic_num_ring r = *call->ring;
    const uint64_t *const a = (const uint64_t *)call->a.unit;
    const uint64_t *const b = (const uint64_t *)call->b.unit;
    const uint64_t step_a = !call->a.scalar, step_b = !call->b.scalar;
    uint64_t *const x = (uint64_t *)call->out.unit, i;
    if (r.form != PADIC_NUM_W128 || call->model != PADIC_NUM_RING) {
        padici_mul_words_loop(call);
        return;
    }
    for (i = 0; i < call->count; i++) {
        const uint64_t *const u = a + i * step_a, *const v = b + i * step_b;
        const padici_wide y = padici_mul2(&r, padici_wide_make(u[0], u[call->a.high]),
                                          padici_wide_make(v[0], v[call->b.high]));
        x[i] = y.low;
        x[i + call->out.high] = y.high;
    }
    if (call->status) memset(call->status, 0, (size_t)call->count);
}

static void padici_neg_loop(padic_num_call *call)
{
    if (padici_num_fast(call, PADIC_NUM_RING))
        padici_ring_loop(call, PADIC_KERNEL_NUM_NEG);
    else
        padici_num_each(call, padici_neg_one);
}

static void padici_fma_loop(padic_num_call *call)
{
    if (padici_num_fast(call, PADIC_NUM_RING))
        padici_ring_loop(call, PADIC_KERNEL_NUM_FMA);
    else
        padici_num_each(call, padici_fma_one);
}

// inv and div up to W128: a block shares one inversion (Montgomery's trick: the inverse of a
// product times the other factors is the inverse of one). Four chains of products run side by side,
// since each waits for itself. A divisor that is no unit takes part as 1 and is done again alone.
typedef struct padici_inverses {
    uint64_t unit[PADICI_NUM_BLOCK][2];    // divisors, then their inverses
    uint64_t product[PADICI_NUM_BLOCK][2]; // of a chain up to here
    uint64_t rare;
} padici_inverses;

PADICI_INLINE void padici_inverses_mul(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                    const uint64_t *b)
{
    if (r->form == PADIC_NUM_W128)
        padici_wide_store(x, padici_mul2(r, padici_wide_load(a), padici_wide_load(b)));
    else
        x[0] = padici_mul1(r, r->form, a[0], b[0]);
}

static void padici_inverses_load(const padic_num_call *call, const padic_num_planes *divisor,
                              uint64_t first, uint64_t n, padici_inverses *batch)
{
    const padic_num_ring *r = call->ring;
    uint64_t i;
    batch->rare = 0;
    for (i = 0; i < n; i++) {
        const uint64_t at = divisor->scalar ? 0 : first + i;
        uint64_t *const u = batch->unit[i];
        u[0] = padici_word(r, divisor->unit, at);
        u[1] = r->words > 1 ? padici_word(r, divisor->unit, at + divisor->high) : 0;
        if (divisor->val ? !padici_val_finite(padici_val_load(divisor, at))
                         : !padici_ring_unit(r, u)) {
            batch->rare |= UINT64_C(1) << i;
            padici_ring_set(r, u, 1);
        }
    }
}

static void padici_inverses_invert(const padic_num_ring *r, padici_inverses *batch, uint64_t n)
{
    const uint64_t chains = n < 4 ? n : 4;
    uint64_t inverse[4][2], all[4][2], x[2], t[4], i;
    for (i = 0; i < n; i++)
        if (i < 4)
            memcpy(batch->product[i], batch->unit[i], sizeof x);
        else
            padici_inverses_mul(r, batch->product[i], batch->product[i - 4], batch->unit[i]);
    for (i = 0; i < chains; i++)
        if (i)
            padici_inverses_mul(r, all[i], all[i - 1], batch->product[n - chains + i]);
        else
            memcpy(all[0], batch->product[n - chains], sizeof x);
    padici_ring_inv(r, x, all[chains - 1], t);
    for (i = chains; i-- > 1;) {
        padici_inverses_mul(r, inverse[(n - chains + i) & 3], x, all[i - 1]);
        padici_inverses_mul(r, t, x, batch->product[n - chains + i]);
        memcpy(x, t, sizeof x);
    }
    memcpy(inverse[(n - chains) & 3], x, sizeof x);
    for (i = n; i-- > 0;) {
        uint64_t *const chain = inverse[i & 3];
        if (i < 4) {
            memcpy(batch->unit[i], chain, sizeof x);
        } else {
            padici_inverses_mul(r, x, chain, batch->product[i - 4]);
            padici_inverses_mul(r, t, chain, batch->unit[i]);
            memcpy(chain, t, sizeof x);
            memcpy(batch->unit[i], x, sizeof x);
        }
    }
}

static void padici_div_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const int inv = !call->b.unit;
    const padici_num_one one = inv ? padici_inv_one : padici_div_one;
    const padic_num_planes *divisor = inv ? &call->a : &call->b;
    padici_inverses batch;
    uint64_t u[2], x[2], first, i, n;
    padici_cell a, out;
    if (r->form == PADIC_NUM_RX || call->model == PADIC_NUM_BALL) {
        padici_num_each(call, one);
        return;
    }
    a.u = u;
    out.u = x;
    for (first = 0; first < call->count; first += n) {
        n = call->count - first < PADICI_NUM_BLOCK ? call->count - first : PADICI_NUM_BLOCK;
        padici_inverses_load(call, divisor, first, n, &batch);
        padici_inverses_invert(r, &batch, n);
        for (i = 0; i < n; i++) {
            const uint64_t at = divisor->scalar ? 0 : first + i;
            if (batch.rare >> i & 1) continue;
            a.v = 0;
            if (inv) {
                memcpy(x, batch.unit[i], sizeof x);
            } else {
                padici_cell_load(call, &call->a, first + i, &a);
                if (!padici_val_finite(a.v)) {
                    batch.rare |= UINT64_C(1) << i;
                    continue;
                }
                padici_inverses_mul(r, x, u, batch.unit[i]);
            }
            out.v = a.v - (divisor->val ? padici_val_load(divisor, at) : 0);
            if (r->words == 1 && !call->out.val16 && padici_val_finite(out.v)) {
                padici_word_set(r, call->out.unit, first + i, x[0]);
                if (call->out.val) ((int32_t *)call->out.val)[first + i] = out.v;
                if (call->status) call->status[first + i] = 0;
                continue;
            }
            out.n = r->precision;
            out.bits = 0;
            padici_cell_store(call, first + i, &out);
        }
        for (; batch.rare; batch.rare &= batch.rare - 1) {
            const uint64_t at = first + padici_ctz64(batch.rare);
            padici_num_span(call, at, at + 1, one);
        }
    }
}

static void padici_shift_loop(padic_num_call *call)
{
    padici_num_each(call, padici_shift_one);
}

static void padici_pow_loop(padic_num_call *call)
{
    padici_num_each(call, padici_pow_one);
}

// The public functions of up to three operands.
static padic_result padici_num_simple(padic_context *context, const char *name, uint32_t kernel,
                                      void (*loop)(padic_num_call *call),
                                      const padic_num_array *out, const padic_num_array *a,
                                      const padic_num_array *b, const padic_num_array *c,
                                      uint32_t operands, int64_t k)
{
    padici_num_task task;
    if (!out || !a || (operands > 1 && !b) || (operands > 2 && !c))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name,
                              !out ? "out is NULL" : !a ? "a is NULL" : !b ? "b is NULL"
                                                                          : "c is NULL");
    padici_num_task_begin(&task, name, kernel, loop, out, a, b, c);
    task.call.k = k;
    return padici_num_run(context, &task);
}

PADIC_API padic_result padic_num_add(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b)
{
    return padici_num_simple(context, "num_add", PADIC_KERNEL_NUM_ADD, padici_add_loop, out, a, b,
                             NULL, 2, 0);
}

PADIC_API padic_result padic_num_sub(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b)
{
    return padici_num_simple(context, "num_sub", PADIC_KERNEL_NUM_SUB, padici_sub_loop, out, a, b,
                             NULL, 2, 0);
}

PADIC_API padic_result padic_num_neg(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a)
{
    return padici_num_simple(context, "num_neg", PADIC_KERNEL_NUM_NEG, padici_neg_loop,
                             out, a, NULL, NULL, 1, 0);
}

PADIC_API padic_result padic_num_mul(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b)
{
    return padici_num_simple(context, "num_mul", PADIC_KERNEL_NUM_MUL, padici_mul_loop, out, a, b,
                             NULL, 2, 0);
}

PADIC_API padic_result padic_num_square(padic_context *context, const padic_num_array *out,
                                        const padic_num_array *a)
{
    // (u + O(2^n))^2 is known to more digits than a product of two such numbers
    if (out && padici_ring_is(out->ring) && out->ring->p == 2 && out->model == PADIC_NUM_BALL)
        return padici_num_simple(context, "num_square", PADIC_KERNEL_NUM_POW, padici_pow_loop, out,
                                 a, NULL, NULL, 1, 2);
    return padici_num_simple(context, "num_square", PADIC_KERNEL_NUM_MUL, padici_mul_loop, out, a,
                             a, NULL, 1, 0);
}

PADIC_API padic_result padic_num_inv(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a)
{
    return padici_num_simple(context, "num_inv", PADIC_KERNEL_NUM_INV, padici_div_loop,
                             out, a, NULL, NULL, 1, 0);
}

PADIC_API padic_result padic_num_div(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b)
{
    return padici_num_simple(context, "num_div", PADIC_KERNEL_NUM_DIV, padici_div_loop, out, a, b,
                             NULL, 2, 0);
}

PADIC_API padic_result padic_num_shift(padic_context *context, const padic_num_array *out,
                                       const padic_num_array *a, int64_t k)
{
    return padici_num_simple(context, "num_shift", PADIC_KERNEL_NUM_SHIFT, padici_shift_loop,
                             out, a, NULL, NULL, 1, k);
}

PADIC_API padic_result padic_num_pow(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, int64_t k)
{
    return padici_num_simple(context, "num_pow", PADIC_KERNEL_NUM_POW, padici_pow_loop,
                             out, a, NULL, NULL, 1, k);
}

PADIC_API padic_result padic_num_fma(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b,
                                     const padic_num_array *c)
{
    return padici_num_simple(context, "num_fma", PADIC_KERNEL_NUM_FMA, padici_fma_loop,
                             out, a, b, c, 3, 0);
}

// Exponents of its own for each element: other[0], in 128 bits two planes `stride` apart.
static void padici_pow_array_loop(padic_num_call *call)
{
    const char *const k = (const char *)call->other[0];
    padic_num_call one = *call;
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i;
    uint64_t *words = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    padici_cell x, a;
    x.u = words;
    a.u = words + r->words;
    for (i = 0; i < call->count; i++) {
        padici_wide e = {0, 0};
        int negative;
        if (call->dtype == PADIC_I32)
            e.low = (uint64_t)(int64_t)((const int32_t *)(const void *)k)[i];
        else
            e.low = ((const uint64_t *)(const void *)k)[i];
        negative = (int64_t)e.low < 0;
        e.high = 0 - (uint64_t)negative;
        if (call->dtype == PADIC_U64) {
            e.high = ((const uint64_t *)(const void *)k)[i + call->stride];
            negative = (int64_t)e.high < 0;
        }
        if (negative) e = padici_wide_sub(padici_wide_make(0, 0), e);
        padici_cell_load(call, &call->a, i, &a);
        x.v = 0;
        x.n = r->precision;
        x.bits = 0;
        padici_cell_pow(call, &x, &a, negative, e, words + PADICI_NUM_CELLS * r->words);
        padici_cell_store(&one, i, &x);
    }
    call->bits = one.bits;
}

PADIC_API padic_result padic_num_pow_array(padic_context *context, const padic_num_array *out,
                                           const padic_num_array *a, const padic_tensor *k)
{
    padici_num_task task;
    if (!out || !a || !k)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_pow_array",
                              !out ? "out is NULL" : !a ? "a is NULL" : "k is NULL");
    padici_num_task_begin(&task, "num_pow_array", PADIC_KERNEL_NUM_POW_ARRAY, padici_pow_array_loop,
                          out, a, NULL, NULL);
    task.call.stride = out->count;
    task.other[0] = k;
    task.other_field[0] = "k";
    task.other_each[0] = k->dtype == PADIC_U64 ? 2 : 1;
    task.other_planes = 1;
    task.other_dtypes[0] = 1u << PADIC_I32 | 1u << PADIC_I64 | 1u << PADIC_U64;
    return padici_num_run(context, &task);
}

// Valuation and metric

// 1 / power, or power, as the bits of a float, correctly rounded; of the quotient 2^s / power 64
// bits and whether something is left. A power of PADICI_NORM_WORDS - 1 words counts as infinite.
#define PADICI_NORM_WORDS 21u // p^|v| of 1,200 bits and one factor more
static uint64_t padici_norm_round(const uint64_t *power, uint32_t used, int inverse,
                                  padic_dtype dtype, uint32_t *overflow)
{
    uint64_t rest[PADICI_NORM_WORDS], q = 0;
    const uint32_t bits = 64 * used - padici_clz64(power[used - 1]);
    uint32_t i, j, more = 0, inexact;
    *overflow = 0;
    if (used == PADICI_NORM_WORDS - 1) {
        *overflow = !inverse;
        return inverse ? 0 : padici_float_round(dtype, 1, 2000, 0, &inexact, &more);
    }
    if (!inverse) { // the 64 highest bits, and whether there are others
        const uint32_t drop = bits > 64 ? bits - 64 : 0;
        q = power[drop / 64] >> (drop & 63);
        if (drop & 63) q |= power[drop / 64 + 1] << (64 - (drop & 63));
        for (i = 0; i < drop; i++) more |= (uint32_t)(power[i / 64] >> (i & 63) & 1);
        return padici_float_round(dtype, q, drop, more, &inexact, overflow);
    }
    used++; // twice the rest may take one word more than the power
    memset(rest, 0, sizeof rest); // 2^(bits - 1) divided by the power, bit by bit
    rest[(bits - 1) / 64] = UINT64_C(1) << ((bits - 1) & 63);
    for (i = 0; i < 64; i++) {
        int32_t less = 0;
        for (j = used; j-- > 0 && !less;) less = rest[j] < power[j] ? -1 : rest[j] > power[j];
        if (less >= 0) { // rest - power
            uint64_t borrow = 0;
            for (j = 0; j < used; j++) {
                const uint64_t d = rest[j] - power[j], e = d - borrow;
                borrow = (rest[j] < power[j]) | (d < borrow);
                rest[j] = e;
            }
        }
        q = q << 1 | (less >= 0);
        for (j = used; j-- > 0;) rest[j] = rest[j] << 1 | (j ? rest[j - 1] >> 63 : 0);
    }
    for (j = 0; j < used; j++) more |= rest[j] != 0;
    return padici_float_round(dtype, q, -(int64_t)(bits - 1) - 63, more, &inexact, overflow);
}

// power p, of `used` words; those it has then.
static uint32_t padici_norm_times(uint64_t *power, uint32_t used, uint64_t p)
{
    uint64_t carry = 0;
    uint32_t j;
    for (j = 0; j < used; j++) {
        const padici_wide x = padici_wide_add(padici_wide_mul(power[j], p),
                                              padici_wide_make(carry, 0));
        power[j] = x.low;
        carry = x.high;
    }
    if (carry) power[used++] = carry;
    return used;
}

// p^-v.
static uint64_t padici_norm_bits(uint64_t p, int32_t v, padic_dtype dtype, uint32_t *overflow)
{
    uint64_t power[PADICI_NORM_WORDS];
    uint32_t k = (uint32_t)(v < 0 ? -v : v), used = 1, i;
    memset(power, 0, sizeof power);
    power[0] = 1;
    for (i = 0; i < k && used < PADICI_NORM_WORDS - 1; i++)
        used = padici_norm_times(power, used, p);
    return padici_norm_round(power, used, v > 0, dtype, overflow);
}

typedef struct padici_norms { // those of narrow valuations, computed once for a call
    uint64_t bits[64];
    int32_t v[64];
} padici_norms;

static uint32_t padici_norm_store(padici_norms *norms, const padic_num_call *call, uint64_t i,
                                  int32_t v, uint32_t bits)
{
    const padic_dtype dtype = (padic_dtype)call->k;
    const uint32_t slot = (uint32_t)v & 63;
    uint64_t x;
    uint32_t overflow = 0;
    if (v == PADIC_NUM_ZERO) {
        x = 0;
    } else if (v == PADIC_NUM_NAN) {
        x = dtype == PADIC_F64 ? UINT64_C(0x7ff8) << 48 : 0x7fc00000u;
    } else if (norms->v[slot] == v) {
        x = norms->bits[slot];
        overflow = x == (dtype == PADIC_F64 ? UINT64_C(0x7ff) << 52 : 0x7f800000u);
    } else {
        x = padici_norm_bits(call->ring->p, v, dtype, &overflow);
        norms->v[slot] = v;
        norms->bits[slot] = x;
    }
    if (dtype == PADIC_F64)
        memcpy((char *)call->other[1] + 8 * i, &x, 8);
    else {
        const uint32_t y = (uint32_t)x;
        memcpy((char *)call->other[1] + 4 * i, &y, 4);
    }
    return overflow ? bits | PADIC_NUM_RANGE : bits;
}

// The valuation of a cell, and what there is to say of it.
static int32_t padici_cell_valuation(const padic_num_call *call, const padici_cell *a,
                                     uint32_t *bits)
{
    *bits = a->bits;
    if (call->model == PADIC_NUM_RING) {
        const uint32_t v = padici_ring_valuation(call->ring, a->u);
        return v < call->ring->precision ? (int32_t)v : PADIC_NUM_ZERO;
    }
    if (a->v != PADIC_NUM_ZERO && a->v != PADIC_NUM_NAN && !a->n) *bits |= PADIC_NUM_PRECLOSS;
    return a->v;
}

// The same for one word, if the element is an ordinary one.
PADICI_INLINE int padici_word_valuation(const padic_num_call *call, const padic_num_ring *r,
                                        uint64_t i, int32_t *v)
{
    const uint64_t ia = call->a.scalar ? 0 : i, ib = call->b.scalar ? 0 : i;
    uint64_t x;
    *v = 0;
    if (call->model != PADIC_NUM_RING) {
        const int32_t va = ((const int32_t *)call->a.val)[ia];
        const int32_t vb = call->b.unit ? ((const int32_t *)call->b.val)[ib] : va;
        *v = va < vb ? va : vb;
        if (!padici_val_finite(va) || !padici_val_finite(vb)) return 0;
        if (!call->b.unit || va != vb) return 1; // of two valuations that differ, the smaller
    }
    x = padici_word(r, call->a.unit, ia);
    if (call->b.unit) x = padici_sub1(r, r->form, x, padici_word(r, call->b.unit, ib));
    if (!x) return 0;
    if (r->p == 2 || x * r->inverse <= r->unit_limit) *v += (int32_t)padici_split1(r, x, &x);
    return padici_val_finite(*v);
}

// v(a), or v(a - b).
static void padici_valuation_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i;
    uint64_t *words = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    int32_t *const val = (int32_t *)call->other[0];
    const int fast = padici_num_fast(call, PADIC_NUM_RING) ||
                     padici_num_fast(call, PADIC_NUM_FLOAT);
    padici_norms norms;
    padici_cell x, a, b;
    x.u = words;
    a.u = words + r->words;
    b.u = words + 2 * r->words;
    for (i = 0; i < 64; i++) norms.v[i] = PADIC_NUM_NAN;
    for (i = 0; i < call->count; i++) {
        uint32_t bits;
        int32_t v;
        if (fast && padici_word_valuation(call, r, i, &v)) {
            bits = 0;
            if (val) val[i] = v;
            if (call->other[1]) bits = padici_norm_store(&norms, call, i, v, 0);
            if (call->status) call->status[i] = (uint8_t)bits;
            call->bits |= bits;
            continue;
        }
        padici_cell_load(call, &call->a, i, &a);
        if (call->b.unit) {
            padici_cell_load(call, &call->b, i, &b);
            x.v = 0;
            x.n = r->precision;
            x.bits = 0;
            padici_cell_sum(call, &x, &a, &b, 1, words + PADICI_NUM_CELLS * r->words);
            v = padici_cell_valuation(call, &x, &bits);
        } else {
            v = padici_cell_valuation(call, &a, &bits);
        }
        if (val) val[i] = v;
        if (call->other[1]) bits = padici_norm_store(&norms, call, i, v, bits);
        if (call->status) call->status[i] = (uint8_t)bits;
        call->bits |= bits;
    }
}

PADIC_API padic_result padic_num_valuation(padic_context *context,
                                           const padic_num_valuation_desc *desc)
{
    padici_num_task task;
    if (!desc || (!desc->val.dtype && !desc->norm.dtype))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_valuation",
                              "val and norm are both missing: give one of them");
    padici_num_task_begin(&task, "num_valuation", PADIC_KERNEL_NUM_VALUATION,
                          padici_valuation_loop, NULL, &desc->in,
                          desc->other.ring ? &desc->other : NULL, NULL);
    task.field[1] = "in";
    task.field[2] = "other";
    task.other_field[0] = "val";
    task.other_field[1] = "norm";
    if (desc->val.dtype) task.other[0] = &desc->val;
    if (desc->norm.dtype) task.other[1] = &desc->norm;
    task.other_dtypes[0] = 1u << PADIC_I32;
    task.other_dtypes[1] = 1u << PADIC_F32 | 1u << PADIC_F64;
    task.other_out = 3;
    task.call.k = desc->norm.dtype;
    task.status = &desc->status;
    task.sticky = desc->sticky;
    return padici_num_run(context, &task);
}

// v_p of an integer of any type in a tensor; ZERO for 0.
static int32_t padici_integer_valuation(const padic_num_ring *r, padic_dtype dtype,
                                        const void *data, uint64_t i)
{
    uint64_t x = 0;
    int64_t y;
    int32_t v = 0;
    switch (dtype) {
    case PADIC_I8: y = ((const int8_t *)data)[i]; break;
    case PADIC_I16: y = ((const int16_t *)data)[i]; break;
    case PADIC_I32: y = ((const int32_t *)data)[i]; break;
    case PADIC_U8: y = ((const uint8_t *)data)[i]; break;
    case PADIC_U16: y = ((const uint16_t *)data)[i]; break;
    case PADIC_U32: y = ((const uint32_t *)data)[i]; break;
    default: memcpy(&y, (const char *)data + 8 * i, 8); break;
    }
    x = (uint64_t)y;
    if (y < 0 && dtype != PADIC_U64) x = 0 - x;
    if (!x) return PADIC_NUM_ZERO;
    for (; x % r->p == 0; x /= r->p) v++;
    return v;
}

PADIC_API padic_result padic_num_valuation_of(padic_context *context, const padic_num_ring *ring,
                                              const padic_tensor *val,
                                              const padic_tensor *numerator,
                                              const padic_tensor *denominator)
{
    const uint32_t integers = 0xffu << PADIC_I8; // I8 to U64
    void *out, *n, *d = NULL;
    uint64_t i, count;
    padic_result result;
    const char *field = "val";
    if (!padici_ring_is(ring) || ring->composite || !val || !numerator)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_valuation_of",
                              "ring is none of a prime, or val or numerator is NULL");
    result = padici_tensor_check_shape(val, &count);
    if (!result) result = padici_num_plane(context, val, count, 1u << PADIC_I32, &out);
    if (!result) {
        field = "numerator";
        result = padici_num_plane(context, numerator, count, integers, &n);
    }
    if (!result && denominator) {
        field = "denominator";
        result = padici_num_plane(context, denominator, count, integers, &d);
    }
    if (result) {
        padici_blame(context, result, field, NULL, NULL);
        return padici_fault(context, result, "num_valuation_of");
    }
    for (i = 0; i < count; i++) {
        const int32_t vn = padici_integer_valuation(ring, numerator->dtype, n, i);
        const int32_t vd = d ? padici_integer_valuation(ring, denominator->dtype, d, i) : 0;
        if (vd == PADIC_NUM_ZERO) result = PADIC_ERROR_DOMAIN;
        ((int32_t *)out)[i] = vd == PADIC_NUM_ZERO   ? PADIC_NUM_NAN
                              : vn == PADIC_NUM_ZERO ? vn
                                                     : vn - vd;
    }
    if (!result) return PADIC_OK;
    return padici_fail_in(context, result, "num_valuation_of", "a denominator is 0: NAN there");
}

static void padici_split_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    uint64_t local[2], i;
    int32_t *const val = (int32_t *)call->other[0];
    const int ring = padici_num_fast(call, PADIC_NUM_RING);
    const int fast = ring || padici_num_fast(call, PADIC_NUM_FLOAT);
    padici_cell x;
    x.u = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    for (i = 0; i < call->count; i++) {
        const uint64_t at = call->a.scalar ? 0 : i;
        uint32_t bits;
        int32_t v = 0;
        if (fast) {
            uint64_t u = padici_word(r, call->a.unit, at);
            int easy = u != 0;
            if (!ring) { // it is its unit already
                v = ((const int32_t *)call->a.val)[at];
                easy = padici_val_finite(v);
            } else if (easy && (r->p == 2 || u * r->inverse <= r->unit_limit)) {
                v = (int32_t)padici_split1(r, u, &u);
            }
            if (easy) {
                bits = ring && v ? PADIC_NUM_PRECLOSS : 0;
                padici_word_set(r, call->out.unit, i, u);
                if (!ring) ((int32_t *)call->out.val)[i] = 0;
                if (val) val[i] = v;
                if (call->status) call->status[i] = (uint8_t)bits;
                call->bits |= bits;
                continue;
            }
        }
        padici_cell_load(call, &call->a, i, &x);
        v = padici_cell_valuation(call, &x, &bits);
        x.bits = bits;
        if (call->model == PADIC_NUM_RING && v != PADIC_NUM_ZERO && v) {
            if (r->form < PADIC_NUM_W128)
                padici_split1(r, x.u[0], x.u);
            else
                padici_ring_down(r, x.u, x.u, (uint64_t)v);
            x.bits |= PADIC_NUM_PRECLOSS;
        }
        if (val) val[i] = v;
        if (x.v != PADIC_NUM_ZERO && x.v != PADIC_NUM_NAN) x.v = 0;
        padici_cell_store(call, i, &x);
    }
}

PADIC_API padic_result padic_num_split(padic_context *context, const padic_num_array *out,
                                       const padic_tensor *val, const padic_num_array *in)
{
    padici_num_task task;
    if (!out || !in)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_split",
                              !out ? "out is NULL" : "in is NULL");
    padici_num_task_begin(&task, "num_split", PADIC_KERNEL_NUM_SPLIT, padici_split_loop, out, in,
                          NULL, NULL);
    task.field[1] = "in";
    task.other_field[0] = "val";
    task.other[0] = val;
    task.other_dtypes[0] = 1u << PADIC_I32;
    task.other_out = 1;
    return padici_num_run(context, &task);
}

// Is a = b modulo p^k? Through the difference: its valuation is at least k (1), below (0), or only
// known to be at least A < k (2).
static void padici_equal_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i;
    uint64_t *words = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    padici_cell x, a, b;
    x.u = words;
    a.u = words + r->words;
    b.u = words + 2 * r->words;
    for (i = 0; i < call->count; i++) {
        uint32_t bits;
        int32_t v;
        padici_cell_load(call, &call->a, i, &a);
        padici_cell_load(call, &call->b, i, &b);
        x.v = 0;
        x.n = r->precision;
        x.bits = 0;
        padici_cell_sum(call, &x, &a, &b, 1, words + PADICI_NUM_CELLS * r->words);
        v = padici_cell_valuation(call, &x, &bits);
        ((uint8_t *)call->other[0])[i] =
            (uint8_t)(v == PADIC_NUM_NAN                              ? 0
                      : v >= call->k                                  ? 1
                      : call->model == PADIC_NUM_BALL && !x.n ? 2
                                                                      : 0);
    }
}

PADIC_API padic_result padic_num_equal(padic_context *context, const padic_tensor *equal,
                                       const padic_num_array *a, const padic_num_array *b,
                                       int64_t prec)
{
    padici_num_task task;
    if (!equal || !a || !b)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_equal",
                              !equal ? "equal is NULL" : !a ? "a is NULL" : "b is NULL");
    padici_num_task_begin(&task, "num_equal", PADIC_KERNEL_NUM_EQUAL, padici_equal_loop, NULL, a, b,
                          NULL);
    task.other_field[0] = "equal";
    task.other[0] = equal;
    task.other_dtypes[0] = 1u << PADIC_U8;
    task.other_out = 1;
    task.call.k = prec ? prec : padici_ring_is(a->ring) ? a->ring->precision : 0;
    return padici_num_run(context, &task);
}

// ln p in units of 2^-122, less than 2^7 units too narrow, 1 < p < 2^63: with 2^k <= p < 2^(k+1),
// k ln 2 + 2 artanh z, z = (p - 2^k) / (p + 2^k) < 1/3.
static padici_wide padici_ln(uint64_t p)
{
    const padici_wide ln2 = {UINT64_C(0xaf278ece600fcbda),
                             UINT64_C(0x02c5c85fdf473de6)}; // floor(2^122 ln 2)
    const uint32_t k = 63 - padici_clz64(p);
    const padici_wide sum = padici_wide_make(p + (UINT64_C(1) << k), 0);
    padici_wide rest = {0, 0}, z, z2, term, x;
    uint64_t j = 1;
    z.high = padici_wide_div(padici_wide_make(0, p - (UINT64_C(1) << k)), sum, &rest).low;
    z.low = padici_wide_div(padici_wide_make(0, rest.low), sum, NULL).low; // in units of 2^-128
    z2 = padici_wide_mul_high(z, z);
    x = term = z;
    while (!padici_wide_zero(term)) {
        term = padici_wide_mul_high(term, z2);
        x = padici_wide_add(x, padici_wide_div(term, padici_wide_make(j += 2, 0), NULL));
    }
    return padici_wide_add(padici_wide_shr(x, 5),
                           padici_wide_mul_low(ln2, padici_wide_make(k, 0)));
}

// -v, or the bits of -v ln p: the product is known to 115 - 30 bits below the point, and lies on no
// boundary between two floats, since ln p is irrational.
static void padici_tropical_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const padici_wide ln = padici_ln(r->p);
    uint64_t local[2], i, bits;
    padici_cell x;
    x.u = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    for (i = 0; i < call->count; i++) {
        uint32_t soft, inexact, overflow, down;
        int32_t v;
        padici_cell_load(call, &call->a, i, &x);
        v = padici_cell_valuation(call, &x, &soft);
        if (call->dtype == PADIC_I32) {
            ((int32_t *)call->other[0])[i] = v == PADIC_NUM_NAN ? v : -v; // zero: -(2^31 - 1)
            continue;
        }
        bits = v > 0 ? UINT64_C(1) << 63 : 0;
        if (v == PADIC_NUM_ZERO) {
            bits = UINT64_C(0xfff) << 52; // minus infinity
        } else if (v == PADIC_NUM_NAN) {
            bits = UINT64_C(0x7ff8) << 48;
        } else if (v) { // 158 bits, 30 of them below the unit of 2^-122 are never there
            const uint64_t k = (uint64_t)(v < 0 ? -(int64_t)v : v);
            padici_wide m = padici_wide_mul(ln.high, k);
            m = padici_wide_add(m, padici_wide_make(padici_mulhi64(ln.low, k), 0));
            down = padici_wide_bits(m) > 64 ? padici_wide_bits(m) - 64 : 0;
            bits |= padici_float_round(PADIC_F64, padici_wide_shr(m, down).low,
                                       (int64_t)down + 64 - 122, 1, &inexact, &overflow);
        }
        memcpy((char *)call->other[0] + 8 * i, &bits, 8);
    }
}

PADIC_API padic_result padic_num_tropical(padic_context *context, const padic_tensor *out,
                                          const padic_num_array *in)
{
    padici_num_task task;
    if (!out || !in)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_tropical",
                              !out ? "out is NULL" : "in is NULL");
    padici_num_task_begin(&task, "num_tropical", PADIC_KERNEL_NUM_TROPICAL, padici_tropical_loop,
                          NULL, in, NULL, NULL);
    task.field[1] = "in";
    task.other_field[0] = "out";
    task.other[0] = out;
    task.other_dtypes[0] = 1u << PADIC_I32 | 1u << PADIC_F64;
    task.other_out = 1;
    return padici_num_run(context, &task);
}

// Horner's rule, sums

// x = x y + c, in place.
static void padici_horner_step(const padic_num_call *call, padici_cell *x, const padici_cell *y,
                               const padici_cell *c, uint64_t *temp)
{
    padici_cell next;
    next.u = temp + 2 * call->ring->words;
    next.v = 0;
    next.n = call->ring->precision;
    next.bits = 0;
    padici_fma_one(call, &next, x, y, c, temp);
    if (next.v != PADIC_NUM_NAN) next.bits |= x->bits;
    padici_cell_copy(call->ring, x, &next);
}

// Points i to i + 3 of one-word residues side by side, since each step waits for the one before it.
PADICI_INLINE void padici_horner_four(const padic_num_call *call, const padic_num_ring *r,
                                      padic_num_form form, uint64_t i, uint64_t x[4])
{
    const uint64_t step = call->stride ? 1 : 0, from = call->stride ? i : 0;
    const uint64_t next = call->a.scalar ? 0 : 1, first = next * i;
    const uint64_t y0 = padici_word(r, call->a.unit, first);
    const uint64_t y1 = padici_word(r, call->a.unit, first + next);
    const uint64_t y2 = padici_word(r, call->a.unit, first + 2 * next);
    const uint64_t y3 = padici_word(r, call->a.unit, first + 3 * next);
    uint64_t x0 = 0, x1 = 0, x2 = 0, x3 = 0, k;
    for (k = (uint64_t)call->k; k > 0; k--) {
        const uint64_t at = call->stride ? (k - 1) * call->stride + from : k - 1;
        x0 = padici_mul1(r, form, x0, y0);
        x1 = padici_mul1(r, form, x1, y1);
        x2 = padici_mul1(r, form, x2, y2);
        x3 = padici_mul1(r, form, x3, y3);
        x0 = padici_add1(r, form, x0, padici_word(r, call->c.unit, at));
        x1 = padici_add1(r, form, x1, padici_word(r, call->c.unit, at + step));
        x2 = padici_add1(r, form, x2, padici_word(r, call->c.unit, at + 2 * step));
        x3 = padici_add1(r, form, x3, padici_word(r, call->c.unit, at + 3 * step));
    }
    x[0] = x0;
    x[1] = x1;
    x[2] = x2;
    x[3] = x3;
}

// The same for P < 2^31 and shared coefficients, two steps at once: x y^2 + b y + a < 3 P^2 for
// x < 2 P, and its remainder again.
static void padici_horner_narrow(const padic_num_call *call, const padic_num_ring *r, uint64_t i)
{
    const uint32_t *const c = (const uint32_t *)call->c.unit;
    const uint32_t *const y = (const uint32_t *)call->a.unit + i;
    uint32_t *const out = (uint32_t *)call->out.unit + i;
    const uint64_t p = r->base, high = UINT64_MAX / p;
    const uint64_t y0 = y[0], y1 = y[1], y2 = y[2], y3 = y[3];
    const uint64_t z0 = y0 * y0 % p, z1 = y1 * y1 % p, z2 = y2 * y2 % p, z3 = y3 * y3 % p;
    uint64_t k = (uint64_t)call->k, x0 = k & 1 ? c[k - 1] : 0, x1 = x0, x2 = x0, x3 = x0;
    for (k &= ~UINT64_C(1); k > 0; k -= 2) {
        const uint64_t a = c[k - 2], b = c[k - 1];
        x0 = x0 * z0 + b * y0 + a;
        x1 = x1 * z1 + b * y1 + a;
        x2 = x2 * z2 + b * y2 + a;
        x3 = x3 * z3 + b * y3 + a;
        x0 -= padici_mulhi64(x0, high) * p;
        x1 -= padici_mulhi64(x1, high) * p;
        x2 -= padici_mulhi64(x2, high) * p;
        x3 -= padici_mulhi64(x3, high) * p;
    }
    out[0] = (uint32_t)(x0 < p ? x0 : x0 - p);
    out[1] = (uint32_t)(x1 < p ? x1 : x1 - p);
    out[2] = (uint32_t)(x2 < p ? x2 : x2 - p);
    out[3] = (uint32_t)(x3 < p ? x3 : x3 - p);
}

// The first points of a call on one-word residues, by fours; how many.
static uint64_t padici_horner_fours(padic_num_call *call, const padic_num_ring *r)
{
    uint64_t x[4], i = 0, j;
    padici_cell cell;
    if (r->form == PADIC_NUM_W32 && r->bits < 32 && !call->stride && !call->a.scalar) {
        for (; i + 4 <= call->count; i += 4) padici_horner_narrow(call, r, i);
        if (call->status) memset(call->status, 0, (size_t)i);
        return i;
    }
    for (; i + 4 <= call->count; i += 4) {
        if (r->form == PADIC_NUM_B2)
            padici_horner_four(call, r, PADIC_NUM_B2, i, x);
        else if (r->form == PADIC_NUM_W64)
            padici_horner_four(call, r, PADIC_NUM_W64, i, x);
        else
            padici_horner_four(call, r, PADIC_NUM_W49, i, x);
        for (j = 0; j < 4; j++) {
            cell.u = x + j;
            cell.v = 0;
            cell.n = r->precision;
            cell.bits = 0;
            padici_cell_store(call, i + j, &cell);
        }
    }
    return i;
}

// a: points; c: call->k coefficients, one after the other, or `stride` elements apart.
static void padici_horner_loop(padic_num_call *call)
{
    const padic_num_ring r = *call->ring;
    const int fast = padici_num_fast(call, PADIC_NUM_RING);
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i, k;
    uint64_t *words = r.form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    padic_num_planes coefficients = call->c;
    padici_cell x, y, c;
    coefficients.scalar = 0; // it only said that they stay where they are
    x.u = words;
    y.u = words + r.words;
    c.u = words + 2 * r.words;
    for (i = fast ? padici_horner_fours(call, &r) : 0; i < call->count; i++) {
        padici_cell_load(call, &call->a, i, &y);
        k = (uint64_t)call->k - 1;
        padici_cell_load(call, &coefficients, call->stride ? k * call->stride + i : k, &x);
        if (fast) {
            for (; k > 0; k--) {
                const uint64_t at = call->stride ? (k - 1) * call->stride + i : k - 1;
                x.u[0] = padici_mul1(&r, r.form, x.u[0], y.u[0]);
                x.u[0] = padici_add1(&r, r.form, x.u[0], padici_word(&r, coefficients.unit, at));
            }
        } else {
            for (; k > 0; k--) {
                padici_cell_load(call, &coefficients,
                                 call->stride ? (k - 1) * call->stride + i : k - 1, &c);
                padici_horner_step(call, &x, &y, &c, words + PADICI_NUM_CELLS * r.words);
            }
        }
        padici_cell_store(call, i, &x);
    }
}

PADIC_API padic_result padic_num_horner(padic_context *context, const padic_num_horner_desc *desc)
{
    padici_num_task task;
    uint64_t own;
    if (!desc || !desc->terms)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_horner",
                              desc ? "terms is 0: give at least one coefficient" : "desc is NULL");
    if (desc->terms >> 20 || !padici_mul_u64(desc->terms, desc->out.count, &own))
        return padici_fail_in(context, PADIC_ERROR_LIMIT, "num_horner",
                              "terms is 2^20 or more: split the polynomial");
    padici_num_task_begin(&task, "num_horner", PADIC_KERNEL_NUM_HORNER, padici_horner_loop,
                          &desc->out, &desc->x, NULL, &desc->coefficients);
    task.field[1] = "x";
    task.field[3] = "coefficients";
    task.call.k = desc->terms;
    task.c_moves = desc->coefficients.count != desc->terms;
    task.c_count = task.c_moves ? own : desc->terms;
    task.call.stride = task.c_moves ? desc->out.count : 0;
    if (padici_num_same_units(&desc->coefficients, &desc->out))
        return padici_fail_in(context, PADIC_ERROR_OVERLAP, "num_horner",
                              "out must not be the coefficients");
    return padici_num_run(context, &task);
}

// Neighbours pairwise, as elements come in order: like the bits of a binary counter, two subtrees
// of one size become one of the next. At the end what is left is folded from the right.
typedef struct padici_reduction {
    padici_cell level[40]; // enough for 2^51 elements
    uint64_t count;
    uint32_t depth;
} padici_reduction;

static void padici_reduce_merge(const padic_num_call *call, padici_reduction *f, uint64_t *temp)
{
    padici_cell *a = &f->level[f->depth - 2], *b = &f->level[f->depth - 1], x;
    x.u = temp;
    x.v = 0;
    x.n = call->ring->precision;
    x.bits = 0;
    padici_cell_sum(call, &x, a, b, 0, temp + call->ring->words);
    padici_cell_limit(&x);
    if (x.v != PADIC_NUM_NAN) x.bits |= a->bits | b->bits;
    padici_cell_copy(call->ring, a, &x);
    f->depth--;
}

static void padici_reduce_push(const padic_num_call *call, padici_reduction *f,
                               const padici_cell *x, uint64_t *temp)
{
    uint64_t n = ++f->count;
    padici_cell_copy(call->ring, &f->level[f->depth++], x);
    for (; !(n & 1); n >>= 1) padici_reduce_merge(call, f, temp);
}

// Elements first to end - 1 (at most 4,096) of a, or of a b: 32 lanes, then pairwise.
static void padici_reduce_chunk(const padic_num_call *call, uint64_t first, uint64_t end,
                             padici_reduction *f, padici_cell *x, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    uint64_t lane, i;
    padici_cell a, b, sum;
    a.u = temp;
    b.u = temp + r->words;
    sum.u = temp + 2 * r->words;
    f->count = f->depth = 0;
    for (lane = first; lane < end && lane < first + 32; lane++) {
        for (i = lane; i < end; i += 32) {
            padici_cell_load(call, &call->a, i, &a);
            if (call->b.unit) {
                padici_cell_load(call, &call->b, i, &b);
                sum.v = 0;
                sum.n = r->precision;
                sum.bits = 0;
                padici_cell_mul(call, &sum, &a, &b);
                padici_cell_limit(&sum);
                padici_cell_copy(r, &a, &sum);
            }
            if (i == lane) {
                padici_cell_copy(r, x, &a);
            } else {
                sum.v = 0;
                sum.n = r->precision;
                sum.bits = 0;
                padici_cell_sum(call, &sum, x, &a, 0, temp + 3 * r->words);
                if (sum.v != PADIC_NUM_NAN) sum.bits |= x->bits | a.bits;
                padici_cell_copy(r, x, &sum);
            }
        }
        padici_reduce_push(call, f, x, temp);
    }
    while (f->depth > 1) padici_reduce_merge(call, f, temp);
    padici_cell_copy(r, x, &f->level[0]);
}

// c, one element, becomes the sum of a, or of a b. A fold's residues lie in `temp`, then what sums
// need.
static void padici_reduce_loop(padic_num_call *call)
{
    enum { CHUNK = 4096, LEVELS = 38, LANES = 7 };
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], first, i;
    uint64_t *words = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    uint64_t *const temp = words + (1 + LEVELS + LANES) * r->words;
    padici_reduction chunks, lanes;
    padici_cell x;
    for (i = 0; i < LEVELS; i++) chunks.level[i].u = words + (1 + i) * r->words;
    for (i = 0; i < LANES; i++) lanes.level[i].u = words + (1 + LEVELS + i) * r->words;
    chunks.count = chunks.depth = 0;
    x.u = words;
    memset(x.u, 0, r->words * sizeof *x.u);
    x.v = call->model == PADIC_NUM_RING ? 0 : PADIC_NUM_ZERO;
    x.n = x.bits = 0;
    if (call->model == PADIC_NUM_RING && r->form < PADIC_NUM_W128) { // any order is the same
        uint64_t sum = 0;
        for (i = 0; i < call->count; i++) {
            uint64_t y = padici_word(r, call->a.unit, call->a.scalar ? 0 : i);
            if (call->b.unit)
                y = padici_mul1(r, r->form, y,
                                padici_word(r, call->b.unit, call->b.scalar ? 0 : i));
            sum = padici_add1(r, r->form, sum, y);
        }
        x.u[0] = sum;
    } else if (call->count) {
        for (first = 0; first < call->count; first += CHUNK) {
            const uint64_t end = call->count - first < CHUNK ? call->count : first + CHUNK;
            padici_reduce_chunk(call, first, end, &lanes, &x, temp);
            padici_reduce_push(call, &chunks, &x, temp);
        }
        while (chunks.depth > 1) padici_reduce_merge(call, &chunks, temp);
        padici_cell_copy(r, &x, &chunks.level[0]);
    }
    call->out = call->c;
    padici_cell_store(call, 0, &x);
}

static padic_result padici_num_reduce(padic_context *context, const char *name, uint32_t kernel,
                                      const padic_num_array *out, const padic_num_array *a,
                                      const padic_num_array *b)
{
    padici_num_task task;
    padici_num_task_begin(&task, name, kernel, padici_reduce_loop, NULL, a, b, out);
    task.field[3] = "out";
    task.c_count = 1;
    task.c_out = 1;
    if (out && out->count != 1)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, name, "out.count must be 1");
    return padici_num_run(context, &task);
}

PADIC_API padic_result padic_num_sum(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a)
{
    if (!out || !a)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_sum",
                              !out ? "out is NULL" : "a is NULL");
    return padici_num_reduce(context, "num_sum", PADIC_KERNEL_NUM_SUM, out, a, NULL);
}

PADIC_API padic_result padic_num_dot(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b)
{
    if (!out || !a || !b)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_dot",
                              !out ? "out is NULL" : !a ? "a is NULL" : "b is NULL");
    if (a->count != b->count)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, "num_dot",
                              "a.count and b.count differ");
    return padici_num_reduce(context, "num_dot", PADIC_KERNEL_NUM_DOT, out, a, b);
}

// room: src/num/convert.c
// ------------------------------------------------------------------------------ >>convert impl
//
// Integers on their way are padici_big: binary words in buffers of the loop. A number that comes
// from one is first split into p^v and a unit, also for a ring, and then settled to the model.

// A natural number: n words, the lowest first, none of them 0 on top, and room for more.
typedef struct padici_big {
    uint64_t *w;
    uint32_t n, room;
} padici_big;

typedef struct padici_divisor {
    uint64_t d, reciprocal; // shifted up
    uint32_t shift;
} padici_divisor;

static padici_divisor padici_divisor_make(uint64_t d)
{
    padici_divisor x;
    x.shift = padici_clz64(d);
    x.d = d << x.shift;
    x.reciprocal = padici_reciprocal(x.d);
    return x;
}

static void padici_big_set(padici_big *b, uint64_t x)
{
    b->w[0] = x;
    b->n = x != 0;
}

static void padici_big_trim(padici_big *b)
{
    while (b->n && !b->w[b->n - 1]) b->n--;
}

static uint64_t padici_big_bits(const padici_big *b)
{
    return b->n ? 64 * (uint64_t)b->n - padici_clz64(b->w[b->n - 1]) : 0;
}

static int padici_big_less(const padici_big *a, const padici_big *b)
{
    uint32_t i = a->n;
    if (a->n != b->n) return a->n < b->n;
    while (i > 0 && a->w[i - 1] == b->w[i - 1]) i--;
    return i > 0 && a->w[i - 1] < b->w[i - 1];
}

// b = b m + c, m not 0; 0 if there is no room.
static int padici_big_mul_add(padici_big *b, uint64_t m, uint64_t c)
{
    uint32_t i;
    for (i = 0; i < b->n; i++) {
        const padici_wide x = padici_wide_add(padici_wide_mul(b->w[i], m), padici_wide_make(c, 0));
        b->w[i] = x.low;
        c = x.high;
    }
    if (!c) return 1;
    if (b->n == b->room) return 0;
    b->w[b->n++] = c;
    return 1;
}

// a -= b, a >= b.
static void padici_big_sub(padici_big *a, const padici_big *b)
{
    uint64_t borrow = 0;
    uint32_t i;
    for (i = 0; i < a->n; i++) {
        const uint64_t x = a->w[i], y = i < b->n ? b->w[i] : 0, d = x - y;
        a->w[i] = d - borrow;
        borrow = (x < y) | (d < borrow);
    }
    padici_big_trim(a);
}

// b 2^k; 0 if there is no room.
static int padici_big_up(padici_big *b, uint64_t k)
{
    int fits = 1;
    for (; k && b->n && fits; k -= k < 63 ? k : 63)
        fits = padici_big_mul_add(b, UINT64_C(1) << (k < 63 ? k : 63), 0);
    return fits;
}

// b = floor(b / d), the rest is returned.
static uint64_t padici_big_div(padici_big *b, const padici_divisor *d)
{
    uint64_t rest = 0;
    uint32_t i = b->n;
    while (i-- > 0)
        b->w[i] = padici_divide(
            padici_wide_make(b->w[i] << d->shift,
                             rest | padici_wide_shl(padici_wide_make(b->w[i], 0), d->shift).high),
            d->d, d->reciprocal, &rest);
    padici_big_trim(b);
    return rest >> d->shift;
}

// The most digits whose power of p is below 2^64.
static uint32_t padici_word_digits(const padic_num_ring *r)
{
    uint32_t k = 1;
    while (k + 1 < r->power_count && !r->power[k + 1][1]) k++;
    return k;
}

// b p^v; 0 if there is no room.
static int padici_big_power(const padic_num_ring *r, padici_big *b, uint64_t v)
{
    const uint32_t most = v ? padici_word_digits(r) : 1;
    int fits = 1;
    for (; v && b->n && fits; v -= v < most ? v : most)
        fits = padici_big_mul_add(b, r->power[v < most ? v : most][0], 0);
    return fits;
}

// b / p if that is exact, p odd: from the lowest word up, q = w p^-1 mod 2^64, and what q p has
// above is taken from the next word; nothing may be left. Only looks unless `store`.
static int padici_big_exact(const padic_num_ring *r, padici_big *b, int store)
{
    uint64_t carry = 0;
    uint32_t i;
    for (i = 0; i < b->n; i++) {
        const uint64_t w = b->w[i], q = (w - carry) * r->inverse;
        carry = padici_mulhi64(q, r->p) + (w < carry);
        if (store) b->w[i] = q;
    }
    padici_big_trim(b);
    return !carry;
}

// b, not 0, = p^v b': b' and v.
static uint32_t padici_big_strip(const padic_num_ring *r, padici_big *b)
{
    uint32_t v = 0, i, words = 0, bits;
    if (r->p == 2) {
        while (!b->w[words]) words++;
        bits = padici_ctz64(b->w[words]);
        for (i = words; i < b->n; i++)
            b->w[i - words] =
                padici_wide_shr(padici_wide_make(b->w[i], i + 1 < b->n ? b->w[i + 1] : 0), bits)
                    .low;
        b->n -= words;
        padici_big_trim(b);
        return 64 * words + bits;
    }
    for (; b->n > 1 && padici_big_exact(r, b, 0); v++) padici_big_exact(r, b, 1);
    if (b->n == 1)
        for (; b->w[0] * r->inverse <= UINT64_MAX / r->p; v++) b->w[0] *= r->inverse;
    return v;
}

// Binary words of a residue; b has room for r->words.
static void padici_big_of_ring(const padic_num_ring *r, padici_big *b, const uint64_t *u)
{
    uint32_t i = r->words;
    b->n = 0;
    if (r->form == PADIC_NUM_RX) {
        while (i-- > 0) padici_big_mul_add(b, r->base, u[i]);
    } else {
        for (; b->n < i; b->n++) b->w[b->n] = u[b->n];
        padici_big_trim(b);
    }
}

// x = b mod P, which destroys b; 1 if b was below P. Long ones digits by digits, divided by powers
// of p.
static int padici_ring_of_big(const padic_num_ring *r, uint64_t *x, padici_big *b)
{
    padici_divisor d; // by r->base
    padici_wide sum = {0, 0};
    uint32_t at, i, digits = r->limb_digits;
    int below = 1;
    d.d = r->base << (r->shift & 63);
    d.reciprocal = r->reciprocal;
    d.shift = r->shift;
    if (r->form < PADIC_NUM_W128) {
        below = b->n < 2 && (!b->n || !r->base || b->w[0] < r->base); // base 0: P = 2^64
        x[0] = !b->n ? 0 : below || !r->base ? b->w[0] : padici_big_div(b, &d);
        return below;
    }
    if (r->form == PADIC_NUM_W128) {
        sum = padici_wide_make(b->n ? b->w[0] : 0, b->n > 1 ? b->w[1] : 0);
        padici_wide_store(x, sum);
        if (b->n < 3 && padici_wide_less(sum, padici_modulus(r))) return 1;
        digits = padici_word_digits(r);
        d = padici_divisor_make(r->power[digits][0]);
        sum = padici_wide_make(0, 0);
    }
    memset(x, 0, r->words * sizeof *x);
    for (at = i = 0; at < r->precision && b->n; at += digits, i++) {
        uint64_t c = padici_big_div(b, &d);
        const uint32_t left = r->precision - at;
        if (left < digits) {
            below = c < r->power[left][0];
            c %= r->power[left][0];
        }
        if (r->form == PADIC_NUM_RX)
            x[i] = c;
        else
            sum = padici_wide_add(sum, padici_wide_mul_low(padici_wide_load(r->power[at]),
                                                           padici_wide_make(c, 0)));
    }
    if (r->form == PADIC_NUM_W128) padici_wide_store(x, sum);
    return below && !b->n;
}

static int padici_ring_less(const padic_num_ring *r, const uint64_t *a, const uint64_t *b)
{
    uint32_t i = r->words;
    while (i > 0 && a[i - 1] == b[i - 1]) i--;
    return i > 0 && a[i - 1] < b[i - 1];
}

// u mod p^n becomes the magnitude of its balanced residue; 1 if that is negative. `t` has room for
// 1 residue.
static int padici_ring_balance(const padic_num_ring *r, uint64_t *u, uint32_t n, uint64_t *t)
{
    if (padici_ring_is_zero(r, u)) return 0;
    padici_ring_neg(r, t, u);
    padici_ring_low(r, t, t, n);
    if (padici_ring_less(r, u, t)) return 0;
    padici_ring_copy(r, u, t);
    return 1;
}

// What a loop works with: a residue, eight more, and two integers.
#define PADICI_BIG_ROOM 64u
typedef struct padici_num_work {
    uint64_t *u, *temp, limit; // UINT64_MAX / p
    padici_big a, b;
    uint64_t local[2 * 9 + 2 * PADICI_BIG_ROOM];
} padici_num_work;

static uint32_t padici_big_room(const padic_num_ring *r)
{
    const uint32_t room = r->form == PADIC_NUM_RX ? 7 * r->words : 0;
    return room < PADICI_BIG_ROOM ? PADICI_BIG_ROOM : room;
}

static void padici_num_work_begin(padici_num_work *work, const padic_num_ring *r, void *scratch)
{
    const uint32_t room = padici_big_room(r);
    uint64_t *const s = r->form == PADIC_NUM_RX ? (uint64_t *)scratch : work->local;
    uint64_t *const big = room > PADICI_BIG_ROOM ? s + 9 * r->words : work->local + 18;
    work->u = s;
    work->temp = s + r->words;
    work->limit = UINT64_MAX / r->p;
    work->a.w = big;
    work->b.w = big + room;
    work->a.n = work->b.n = 0;
    work->a.room = work->b.room = room;
}

// Element i of a loop that writes no array.
PADICI_INLINE void padici_num_report(padic_num_call *call, uint64_t i, uint32_t bits)
{
    if (call->status) call->status[i] = (uint8_t)bits;
    call->bits |= bits;
}

// room: src/num/integers.c
// ---- integers

#define PADICI_NUM_LIMBS(tensor, array) \
    tensor " must have the shape (limbs, " array ".count), with at most 64 limbs or 7 for each " \
    "word of a long ring"
#define PADICI_SIGNED (1u << PADIC_I8 | 1u << PADIC_I16 | 1u << PADIC_I32 | 1u << PADIC_I64)
#define PADICI_UNSIGNED (1u << PADIC_U8 | 1u << PADIC_U16 | 1u << PADIC_U32 | 1u << PADIC_U64)

PADICI_INLINE uint64_t padici_int_load(const void *data, padic_dtype dtype, uint64_t i,
                                       int *negative)
{
    int64_t x;
    *negative = 0;
    switch (dtype) {
    case PADIC_U8: return ((const uint8_t *)data)[i];
    case PADIC_U16: return ((const uint16_t *)data)[i];
    case PADIC_U32: return ((const uint32_t *)data)[i];
    case PADIC_I8: x = ((const int8_t *)data)[i]; break;
    case PADIC_I16: x = ((const int16_t *)data)[i]; break;
    case PADIC_I32: x = ((const int32_t *)data)[i]; break;
    case PADIC_I64: x = ((const int64_t *)data)[i]; break;
    default: return ((const uint64_t *)data)[i];
    }
    *negative = x < 0;
    return x < 0 ? 0u - (uint64_t)x : (uint64_t)x;
}

PADICI_INLINE void padici_int_store(void *data, uint32_t size, uint64_t i, uint64_t x)
{
    switch (size) {
    case 1: ((uint8_t *)data)[i] = (uint8_t)x; break;
    case 2: ((uint16_t *)data)[i] = (uint16_t)x; break;
    case 4: ((uint32_t *)data)[i] = (uint32_t)x; break;
    default: ((uint64_t *)data)[i] = x;
    }
}

// An integer tensor as operand j of a task; the loop finds its limbs in call->k (0: none) and their
// distance in call->stride.
static padic_result padici_task_ints(padici_num_task *task, uint32_t j, const padic_tensor *t,
                                     const padic_num_array *array)
{
    task->other[j] = t;
    task->other_dtypes[j] = PADICI_SIGNED | PADICI_UNSIGNED;
    if (t->dtype != PADIC_U64 || t->rank != 2 || !padici_ring_is(array->ring)) return PADIC_OK;
    if (!t->shape[0] || t->shape[0] > padici_big_room(array->ring)) return PADIC_ERROR_LIMIT;
    if (t->shape[1] != array->count) return PADIC_ERROR_MISMATCH;
    task->other_each[j] = t->shape[0];
    task->other_planes |= 1u << j;
    task->call.k = (int64_t)t->shape[0];
    task->call.stride = array->count;
    return PADIC_OK;
}

// |element i| of an integer tensor; 1 if it is negative.
static int padici_big_load(const void *data, padic_dtype dtype, uint32_t limbs, uint64_t stride,
                           uint64_t i, padici_big *b)
{
    const uint64_t *const plane = (const uint64_t *)data;
    uint64_t carry = 1;
    int negative;
    if (!limbs) {
        padici_big_set(b, padici_int_load(data, dtype, i, &negative));
        return negative;
    }
    negative = plane[(limbs - 1) * stride + i] >> 63 != 0;
    for (b->n = 0; b->n < limbs; b->n++) {
        const uint64_t w = plane[b->n * stride + i];
        b->w[b->n] = negative ? ~w + carry : w;
        carry = carry && !w;
    }
    padici_big_trim(b);
    return negative;
}

// Writes +-b to element i, or 0 with RANGE if it is too wide.
static uint32_t padici_big_store(void *data, padic_dtype dtype, uint32_t limbs, uint64_t stride,
                                 uint64_t i, const padici_big *b, int negative)
{
    const uint32_t size = padic_dtype_size(dtype), is_signed = limbs || PADICI_SIGNED >> dtype & 1;
    const uint64_t bits = padici_big_bits(b), room = limbs ? 64 * (uint64_t)limbs : 8 * size;
    uint64_t carry = 1;
    uint32_t k, fits = bits <= room - is_signed && (is_signed || !negative || !bits);
    if (is_signed && negative && bits == room) { // -2^(room - 1)
        fits = b->w[b->n - 1] == UINT64_C(1) << ((room - 1) & 63);
        for (k = 0; k + 1 < b->n; k++) fits &= !b->w[k];
    }
    for (k = 0; k < limbs || k < 1; k++) {
        uint64_t w = fits && k < b->n ? b->w[k] : 0;
        if (negative && fits) {
            const uint64_t zero = !w;
            w = ~w + carry;
            carry &= zero;
        }
        if (limbs)
            ((uint64_t *)data)[k * stride + i] = w;
        else
            padici_int_store(data, size, i, w);
    }
    return fits ? 0 : PADIC_NUM_RANGE;
}

// x = +-b, which is destroyed; `split` or in a ring.
static void padici_cell_of_big(const padic_num_ring *r, padici_cell *x, padici_big *b, int negative,
                               int split)
{
    x->v = !split ? 0 : b->n ? (int32_t)padici_big_strip(r, b) : PADIC_NUM_ZERO;
    x->n = r->precision;
    x->bits = 0;
    padici_ring_of_big(r, x->u, b);
    if (negative) padici_ring_neg(r, x->u, x->u);
}

// v of a word that is not 0, and *unit. Large primes rarely divide, small ones climb the ladder,
// which is made for residues: more may be left. limit: UINT64_MAX / p.
PADICI_INLINE uint32_t padici_word_split(const padic_num_ring *r, uint64_t limit, uint64_t x,
                                         uint64_t *unit)
{
    uint32_t v = r->p < 16 ? padici_split1(r, x, &x) : 0;
    if (r->p != 2)
        for (; x * r->inverse <= limit; v++) x *= r->inverse;
    *unit = x;
    return v;
}

// The same for one word m, times t < P unless p = 2, in a ring of one word.
PADICI_INLINE void padici_cell_of_word(const padic_num_ring *r, padici_cell *x, uint64_t limit,
                                       uint64_t m, uint64_t t, int negative, int split)
{
    x->v = !split ? 0 : m ? (int32_t)padici_word_split(r, limit, m, &m) : PADIC_NUM_ZERO;
    x->n = r->precision;
    x->bits = 0;
    m = r->p == 2 ? m & (r->base - 1) : padici_mul1(r, PADIC_NUM_W64, t, m);
    x->u[0] = negative ? padici_sub1(r, r->form, 0, m) : m;
}

// Element i of call->out in a ring of one word, where padici_cell_store() has nothing to look at:
// no hard bit, v within the limits.
PADICI_INLINE void padici_cell_put(padic_num_call *call, uint64_t i, const padici_cell *x)
{
    const padic_num_planes *p = &call->out;
    padici_word_set(call->ring, p->unit, i, x->u[0]);
    if (p->val) padici_val_store(p, i, x->v);
    if (p->known)
        padici_int_store(p->known, p->known16 ? 2 : 1, i, x->v == PADIC_NUM_ZERO ? 0 : x->n);
    if (call->status) call->status[i] = (uint8_t)x->bits;
    call->bits |= x->bits;
}

// A split number becomes one of the model: in a ring p^v u.
static void padici_cell_settle(const padic_num_call *call, padici_cell *x)
{
    if (call->model != PADIC_NUM_RING) return;
    if (x->v == PADIC_NUM_ZERO)
        memset(x->u, 0, call->ring->words * sizeof *x->u);
    else if (x->v > 0)
        padici_ring_up(call->ring, x->u, x->u, (uint64_t)x->v);
    else if (x->v < 0 && x->v != PADIC_NUM_NAN)
        x->bits |= PADIC_NUM_NONUNIT;
    x->v = 0;
}

static void padici_from_int_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const int split = call->model != PADIC_NUM_RING, word = r->form < PADIC_NUM_W128 && !call->k;
    padici_num_work work;
    padici_cell x;
    uint64_t i;
    int negative;
    padici_num_work_begin(&work, r, call->scratch);
    x.u = work.u;
    for (i = 0; i < call->count && word; i++) {
        const uint64_t m = padici_int_load(call->other[0], call->dtype, i, &negative);
        padici_cell_of_word(r, &x, work.limit, m, 1, negative, split);
        padici_cell_put(call, i, &x);
    }
    for (; i < call->count; i++) {
        negative = padici_big_load(call->other[0], call->dtype, (uint32_t)call->k, call->stride, i,
                                   &work.a);
        padici_cell_of_big(r, &x, &work.a, negative, split);
        padici_cell_store(call, i, &x);
    }
}

PADIC_API padic_result padic_num_from_int(padic_context *context,
                                          const padic_num_from_int_desc *desc)
{
    padici_num_task task;
    padic_result result;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_from_int", "desc is NULL");
    padici_num_task_begin(&task, "num_from_int", PADIC_KERNEL_NUM_FROM_INT, padici_from_int_loop,
                          &desc->out, NULL, NULL, NULL);
    task.other_field[0] = "in";
    if ((result = padici_task_ints(&task, 0, &desc->in, &desc->out)) != PADIC_OK)
        return padici_fail_in(context, result, "num_from_int", PADICI_NUM_LIMBS("in", "out"));
    return padici_num_run(context, &task);
}

// x = a / b of split numbers. `temp` has room for 3 residues.
static void padici_cell_quotient(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                                 const padici_cell *b, uint64_t *temp)
{
    padic_num_call split = *call;
    split.model = PADIC_NUM_FLOAT;
    x->v = 0;
    x->n = call->ring->precision;
    x->bits = 0;
    padici_cell_div(&split, x, a, b, temp);
    padici_cell_settle(call, x);
}

// x = +-n / d, which are destroyed. `temp` has room for 5 residues.
static void padici_cell_of_fraction(const padic_num_call *call, padici_cell *x, padici_big *n,
                                    int negative, padici_big *d, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    padici_cell a, b;
    a.u = temp;
    b.u = temp + r->words;
    padici_cell_of_big(r, &a, n, negative, 1);
    padici_cell_of_big(r, &b, d, 0, 1);
    padici_cell_quotient(call, x, &a, &b, temp + 2 * r->words);
}

static void padici_from_rational_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const uint32_t limbs = (uint32_t)call->k, word = r->form < PADIC_NUM_W128 && !limbs;
    padici_num_work work;
    padici_cell x, a, b;
    uint64_t i;
    padici_num_work_begin(&work, r, call->scratch);
    x.u = work.u;
    a.u = work.temp;
    b.u = work.temp + r->words;
    for (i = 0; i < call->count; i++) {
        if (word) {
            int sign, negative;
            const uint64_t n = padici_int_load(call->other[0], call->dtype, i, &sign);
            const uint64_t d = padici_int_load(call->other[1], call->dtype, i, &negative);
            padici_cell_of_word(r, &a, work.limit, n, 1, negative ^ sign, 1);
            padici_cell_of_word(r, &b, work.limit, d, 1, 0, 1);
            padici_cell_quotient(call, &x, &a, &b, work.temp + 2 * r->words);
        } else {
            int sign =
                padici_big_load(call->other[0], call->dtype, limbs, call->stride, i, &work.a);
            sign ^= padici_big_load(call->other[1], call->dtype, limbs, call->stride, i, &work.b);
            padici_cell_of_fraction(call, &x, &work.a, sign, &work.b, work.temp);
        }
        padici_cell_store(call, i, &x);
    }
}

PADIC_API padic_result padic_num_from_rational(padic_context *context,
                                               const padic_num_from_rational_desc *desc)
{
    padici_num_task task;
    const padic_tensor *d;
    padic_result result;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_from_rational", "desc is NULL");
    d = &desc->denominator;
    padici_num_task_begin(&task, "num_from_rational", PADIC_KERNEL_NUM_FROM_RATIONAL,
                          padici_from_rational_loop, &desc->out, NULL, NULL, NULL);
    task.other_field[0] = "numerator";
    task.other_field[1] = "denominator";
    result = padici_task_ints(&task, 1, d, &desc->out);
    if (!result) result = padici_task_ints(&task, 0, &desc->numerator, &desc->out);
    if (!result && d->dtype != desc->numerator.dtype) result = PADIC_ERROR_DTYPE;
    if (!result && task.other_each[0] != task.other_each[1]) result = PADIC_ERROR_MISMATCH;
    if (result)
        return padici_fail_in(context, result, "num_from_rational",
                              "numerator and denominator must have one dtype and shape that fits "
                              "out: one integer for each number, or (limbs, out.count)");
    return padici_num_run(context, &task);
}

// p^v u as an integer, u least or balanced, in work->a; bits that say if there is none.
static uint32_t padici_big_of_cell(const padic_num_call *call, padici_cell *x, int balanced,
                                   int power, padici_num_work *work, int *negative)
{
    *negative = 0;
    work->a.n = 0;
    if (x->v == PADIC_NUM_NAN) return x->bits;
    if (x->v == PADIC_NUM_ZERO) return 0;
    if (x->v < 0 && power) return PADIC_NUM_OUTSIDE;
    if (!x->n) return PADIC_NUM_PRECLOSS;
    if (balanced) *negative = padici_ring_balance(call->ring, x->u, x->n, work->temp);
    padici_big_of_ring(call->ring, &work->a, x->u);
    if (!power || padici_big_power(call->ring, &work->a, (uint32_t)x->v)) return 0;
    return PADIC_NUM_RANGE;
}

static void padici_to_int_loop(padic_num_call *call)
{
    padici_num_work work;
    padici_cell x;
    uint64_t i;
    const int balanced = call->k >> 32 != 0;
    padici_num_work_begin(&work, call->ring, call->scratch);
    x.u = work.u;
    for (i = 0; i < call->count; i++) {
        uint32_t bits;
        int negative;
        padici_cell_load(call, &call->a, i, &x);
        bits = padici_big_of_cell(call, &x, balanced, 1, &work, &negative);
        if (bits) work.a.n = 0;
        bits |= padici_big_store(call->other[0], call->dtype, (uint32_t)call->k, call->stride, i,
                                 &work.a, negative);
        padici_num_report(call, i, bits);
    }
}

PADIC_API padic_result padic_num_to_int(padic_context *context, const padic_num_to_int_desc *desc)
{
    padici_num_task task;
    padic_result result;
    if (!desc || (uint32_t)desc->mode > PADIC_NUM_BALANCED)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_to_int",
                              desc ? "mode must be LEAST or BALANCED" : "desc is NULL");
    padici_num_task_begin(&task, "num_to_int", PADIC_KERNEL_NUM_TO_INT, padici_to_int_loop, NULL,
                          &desc->in, NULL, NULL);
    task.field[1] = "in";
    task.other_field[0] = "out";
    if ((result = padici_task_ints(&task, 0, &desc->out, &desc->in)) != PADIC_OK)
        return padici_fail_in(context, result, "num_to_int", PADICI_NUM_LIMBS("out", "in"));
    task.call.k |= (int64_t)desc->mode << 32;
    task.other_out = 1;
    task.status = &desc->status;
    task.sticky = desc->sticky;
    return padici_num_run(context, &task);
}

// room: src/num/floats.c
// ---- floats

typedef struct padici_format { // of a float type
    uint32_t mantissa, exponent;
} padici_format;

static padici_format padici_format_of(padic_dtype dtype)
{
    padici_format f;
    f.mantissa = dtype == PADIC_F64 ? 52 : dtype == PADIC_F32 ? 23 : dtype == PADIC_F16 ? 10 : 7;
    f.exponent = dtype == PADIC_F64 ? 11 : dtype == PADIC_F16 ? 5 : 8;
    return f;
}

PADICI_INLINE uint64_t padici_float_load(const void *data, padic_dtype dtype, uint64_t i)
{
    uint64_t x;
    uint32_t y;
    if (dtype == PADIC_F64) {
        memcpy(&x, (const char *)data + 8 * i, 8);
        return x;
    }
    if (dtype != PADIC_F32) return ((const uint16_t *)data)[i];
    memcpy(&y, (const char *)data + 4 * i, 4);
    return y;
}

static void padici_float_store(void *data, padic_dtype dtype, uint64_t i, uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    if (dtype == PADIC_F64)
        memcpy((char *)data + 8 * i, &bits, 8);
    else if (dtype == PADIC_F32)
        memcpy((char *)data + 4 * i, &word, 4);
    else
        ((uint16_t *)data)[i] = (uint16_t)bits;
}

// Powers of two in a one-word ring, p odd: 2^e = low[k % 64] high[k / 64], k = e + 1,088.
typedef struct padici_twos {
    uint64_t low[64], high[33];
} padici_twos;

static void padici_twos_make(const padic_num_ring *r, padici_twos *t)
{
    uint64_t half = (r->base >> 1) + 1, temp, x = 1 % r->base;
    uint32_t i;
    for (i = 0; i < 64; i++) {
        t->low[i] = x;
        x = padici_add1(r, r->form, x, x);
    }
    padici_ring_pow(r, &t->high[0], &half, 1088, &temp);
    for (i = 1; i < 33; i++) t->high[i] = padici_mul1(r, r->form, t->high[i - 1], x);
}

// The integer nearest to m 2^k, ties to even, into work->a; 1 if it was rounded. Far too long ones
// come as they fit.
static int padici_float_scale(padici_num_work *work, uint64_t m, int64_t k)
{
    uint64_t rest, half;
    if (k >= 0) {
        padici_big_set(&work->a, m);
        padici_big_up(&work->a, (uint64_t)k);
        return 0;
    }
    if (k < -63) k = -63; // m is below 2^53
    rest = m & ((UINT64_C(1) << -k) - 1);
    half = UINT64_C(1) << (-k - 1);
    m >>= -k;
    padici_big_set(&work->a, m + (rest > half || (rest == half && m & 1)));
    return rest != 0;
}

// Is the split integer x above P / 2? It is below P.
static int padici_float_large(const padic_num_ring *r, const padici_cell *x, uint64_t *t)
{
    if (x->v == PADIC_NUM_ZERO) return 0;
    padici_ring_up(r, t, x->u, (uint64_t)x->v);
    padici_ring_neg(r, t + r->words, t);
    return !padici_ring_less(r, t, t + r->words);
}

// x = (-1)^negative m 2^e. call->k: mode, and scale above.
static void padici_cell_of_float(const padic_num_call *call, padici_cell *x, int negative,
                                 uint64_t m, int32_t e, padici_num_work *work)
{
    const padic_num_ring *r = call->ring;
    const uint32_t mode = (uint32_t)call->k & 255;
    uint32_t bits = 0;
    if (mode == PADIC_NUM_SCALED) {
        const int64_t k = e + (call->k >> 8);
        if (m && k + 64 - padici_clz64(m) >= (int64_t)r->bits) {
            x->bits = PADIC_NUM_RANGE;
            return;
        }
        bits = padici_float_scale(work, m, k) ? (uint32_t)PADIC_NUM_INEXACT : 0;
    } else {
        padici_big_set(&work->a, m);
    }
    if (mode == PADIC_NUM_DIRECT && r->p != 2) {
        padici_big_set(&work->b, 1);
        padici_big_up(e < 0 ? &work->b : &work->a, (uint64_t)(e < 0 ? -e : e));
        padici_cell_of_fraction(call, x, &work->a, negative, &work->b, work->temp);
        return;
    }
    padici_cell_of_big(r, x, &work->a, 0, 1);
    if (mode == PADIC_NUM_DIRECT && m) x->v += e;
    if (mode == PADIC_NUM_SCALED && padici_float_large(r, x, work->temp)) bits |= PADIC_NUM_RANGE;
    if (negative) padici_ring_neg(r, x->u, x->u);
    padici_cell_settle(call, x);
    x->bits |= bits;
}

// m 2^e of a float, m odd or 0; 0 for infinity and NaN.
PADICI_INLINE int padici_float_split(uint64_t bits, padici_format f, uint64_t *m, int32_t *e)
{
    const uint32_t top = (1u << f.exponent) - 1, field = (uint32_t)(bits >> f.mantissa) & top;
    *m = (bits & ((UINT64_C(1) << f.mantissa) - 1)) | (uint64_t)(field != 0) << f.mantissa;
    *e = 0;
    if (field == top) return 0;
    if (*m) { // the lowest bit of a subnormal is worth as much as that of field 1
        const uint32_t zeros = padici_ctz64(*m);
        *e = (int32_t)(zeros + (field ? field : 1)) - (int32_t)(top / 2 + f.mantissa);
        *m >>= zeros;
    }
    return 1;
}

// Elements from i on, as long as they are neither 0 nor special, in a ring of one word; DIRECT or
// SPLIT. Returns where it stopped.
PADICI_INLINE uint64_t padici_from_float_words(padic_num_call *call, uint64_t i, padic_dtype dtype,
                                               const padici_twos *twos, uint64_t limit)
{
    const padic_num_ring *const r = call->ring;
    const padici_format f = padici_format_of(dtype);
    const int split = call->model != PADIC_NUM_RING, direct = !call->other[1];
    int16_t *const exponent = (int16_t *)call->other[1];
    padici_cell x;
    uint64_t u, m;
    int32_t e;
    x.u = &u;
    for (; i < call->count; i++) {
        const uint64_t bits = padici_float_load(call->other[0], dtype, i);
        uint64_t two = 1;
        if (!padici_float_split(bits, f, &m, &e) || !m) break;
        if (direct && r->p != 2) {
            const uint32_t k = (uint32_t)(e + 1088);
            two = padici_mul1(r, r->form, twos->low[k & 63], twos->high[k >> 6]);
        }
        padici_cell_of_word(r, &x, limit, m, two, (int)(bits >> (f.mantissa + f.exponent)), split);
        if (direct && r->p == 2) x.v = e;
        if (exponent) exponent[i] = (int16_t)e;
        padici_cell_put(call, i, &x);
    }
    return i;
}

// Kernel FROM_FLOAT: other[0] are floats of call->dtype, other[1] i16 exponents or NULL; call->k is
// the mode + 256 scale.
static void padici_from_float_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const padici_format f = padici_format_of(call->dtype);
    const uint32_t mode = (uint32_t)call->k & 255, odd = r->p != 2;
    const int word = r->form < PADIC_NUM_W128 && mode != PADIC_NUM_SCALED &&
                     (odd || call->other[1] || call->model != PADIC_NUM_RING);
    padici_num_work work;
    padici_twos twos;
    padici_cell x;
    uint64_t i, bits, m;
    int32_t e;
    if (word && odd && !call->other[1]) padici_twos_make(r, &twos);
    padici_num_work_begin(&work, r, call->scratch);
    x.u = work.u;
    for (i = 0; i < call->count; i++) {
        if (word && call->dtype == PADIC_F64)
            i = padici_from_float_words(call, i, PADIC_F64, &twos, work.limit);
        else if (word)
            i = padici_from_float_words(call, i, call->dtype, &twos, work.limit);
        if (i == call->count) return;
        bits = padici_float_load(call->other[0], call->dtype, i);
        x.v = 0;
        x.n = r->precision;
        x.bits = PADIC_NUM_OUTSIDE;
        if (padici_float_split(bits, f, &m, &e)) {
            const int negative = (int)(bits >> (f.mantissa + f.exponent));
            x.bits = 0;
            padici_cell_of_float(call, &x, negative, m, e, &work);
            if (!m && negative) x.bits |= PADIC_NUM_INEXACT;
        }
        if (call->other[1]) ((int16_t *)call->other[1])[i] = (int16_t)e;
        if (x.bits & PADIC_NUM_HARD) x.v = PADIC_NUM_NAN;
        padici_cell_store(call, i, &x);
    }
}

// The operands of both directions: floats, and exponents where they belong.
static padic_result padici_task_floats(padic_context *context, padici_num_task *task,
                                       const padic_tensor *floats, const padic_tensor *exponent,
                                       padic_num_float_mode mode, int32_t scale)
{
    const int given = exponent->dtype || exponent->data || exponent->buffer.id;
    task->other_field[1] = "exponent";
    if ((uint32_t)mode > PADIC_NUM_SCALED)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, task->name,
                              "mode must be DIRECT, SPLIT or SCALED");
    if (given != (mode == PADIC_NUM_SPLIT))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, task->name,
                              "exponent is for mode SPLIT, which needs it, and for no other");
    if (scale > 1 << 20 || scale < -(1 << 20))
        return padici_fail_in(context, PADIC_ERROR_LIMIT, task->name,
                              "scale must be between -2^20 and 2^20");
    task->other[0] = floats;
    task->other_dtypes[0] = 1u << PADIC_F64 | 1u << PADIC_F32 | 1u << PADIC_F16 | 1u << PADIC_BF16;
    if (given) task->other[1] = exponent;
    task->other_dtypes[1] = 1u << PADIC_I16;
    task->call.k = (int64_t)mode | (int64_t)scale * 256;
    return PADIC_OK;
}

PADIC_API padic_result padic_num_from_float(padic_context *context,
                                            const padic_num_from_float_desc *desc)
{
    padici_num_task task;
    padic_result result;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_from_float", "desc is NULL");
    padici_num_task_begin(&task, "num_from_float", PADIC_KERNEL_NUM_FROM_FLOAT,
                          padici_from_float_loop, &desc->out, NULL, NULL, NULL);
    task.other_field[0] = "in";
    result = padici_task_floats(context, &task, &desc->in, &desc->exponent, desc->mode,
                                desc->scale);
    if (result) return result;
    task.other_out = 2;
    return padici_num_run(context, &task);
}

// a / b = q 2^exponent with 64 bits of q, *more if something is left. Destroys a and b, which have
// room for a word more.
static uint64_t padici_big_ratio(padici_big *a, padici_big *b, int64_t *exponent, int *more)
{
    const uint64_t la = padici_big_bits(a), lb = padici_big_bits(b);
    uint64_t q = 0;
    *exponent = (int64_t)la - (int64_t)lb;
    if (la < lb)
        padici_big_up(a, lb - la);
    else
        padici_big_up(b, la - lb);
    for (;;) { // now 1/2 < a / b < 2
        const int less = padici_big_less(a, b);
        q = q << 1 | !less;
        if (!less) padici_big_sub(a, b);
        if (q >> 63) break;
        padici_big_up(a, 1);
        --*exponent;
    }
    *more = a->n != 0;
    return q;
}

// The float nearest to +-a / b 2^e, where b may be empty for 1.
static uint64_t padici_float_of_big(padic_dtype dtype, int negative, padici_big *a, padici_big *b,
                                    int64_t e, uint32_t *bits)
{
    const padici_format f = padici_format_of(dtype);
    const uint64_t sign = (uint64_t)(negative && a->n) << (f.mantissa + f.exponent);
    uint64_t q = a->n ? a->w[a->n - 1] : 0;
    int64_t exponent = 0;
    uint32_t i, inexact, overflow;
    int more = 0;
    if (b->n && a->n) {
        q = padici_big_ratio(a, b, &exponent, &more);
    } else if (a->n > 1) {
        const uint32_t up = padici_clz64(q);
        const padici_wide top = padici_wide_shl(padici_wide_make(a->w[a->n - 2], q), up);
        q = top.high;
        more = top.low != 0;
        for (i = 0; i + 2 < a->n; i++) more |= a->w[i] != 0;
        exponent = 64 * ((int64_t)a->n - 1) - up;
    }
    q = padici_float_round(dtype, q, e + exponent, (uint32_t)more, &inexact, &overflow);
    *bits |= overflow ? PADIC_NUM_RANGE : inexact ? PADIC_NUM_INEXACT : 0;
    return sign | q;
}

static int padici_fraction_of(const padic_num_ring *r, const uint64_t *u, uint32_t digits,
                              uint64_t *n, uint64_t *d, uint64_t *temp);

// The fraction of p^v u, with default bounds, in work->a and work->b; 0 if there is none, 1, or -1.
// p^|v| is in one of them; where it has no room *e is 2^20 or -2^20.
static int padici_big_fraction(const padic_num_call *call, const padici_cell *x,
                               padici_num_work *work, int64_t *e)
{
    const padic_num_ring *r = call->ring;
    padici_big *const a = &work->a, *const b = &work->b, *const longer = x->v < 0 ? b : a;
    uint64_t *const n = work->temp, *const d = n + r->words;
    const int sign = x->n ? padici_fraction_of(r, x->u, x->n, n, d, d + r->words) : 0;
    if (!sign) return 0;
    padici_ring_copy(r, a->w, n); // the buffers lie further up
    padici_ring_copy(r, b->w, d);
    a->n = b->n = r->words;
    padici_big_trim(a);
    padici_big_trim(b);
    longer->room--; // for the division
    *e = padici_big_power(r, longer, (uint64_t)(x->v < 0 ? -x->v : x->v)) ? 0
         : x->v < 0                                                       ? -(INT64_C(1) << 20)
                                                                          : INT64_C(1) << 20;
    longer->room++;
    return sign;
}

// The float of an element; 2^e is of SPLIT and SCALED.
static uint64_t padici_float_of_cell(const padic_num_call *call, padici_cell *x, int64_t e,
                                     padici_num_work *work, uint32_t *bits)
{
    const padici_format f = padici_format_of(call->dtype);
    const padic_num_ring *r = call->ring;
    const int direct = ((uint32_t)call->k & 255) == PADIC_NUM_DIRECT;
    int negative = 0;
    work->b.n = 0;
    if (direct && r->p != 2 && x->v != PADIC_NUM_NAN) {
        int sign;
        e = 0;
        if (x->v == PADIC_NUM_ZERO || (x->n && padici_ring_is_zero(r, x->u))) return 0;
        sign = padici_big_fraction(call, x, work, &e);
        if (!sign) *bits = PADIC_NUM_RATREC;
        negative = sign < 0;
    } else {
        *bits = padici_big_of_cell(call, x, 1, !direct, work, &negative);
        if (direct) e = x->v;
        if (*bits == PADIC_NUM_RANGE && x->v != PADIC_NUM_NAN) { // too long
            *bits = 0;
            padici_big_set(&work->a, 1); // of p = 2 nothing but zeros is left
            e = INT64_C(1) << 40;
        }
    }
    if (*bits & PADIC_NUM_HARD) return ((UINT64_C(2) << f.exponent) - 1) << (f.mantissa - 1); // NaN
    return padici_float_of_big(call->dtype, negative, &work->a, &work->b, e, bits);
}

static void padici_to_float_loop(padic_num_call *call)
{
    padici_num_work work;
    padici_cell x;
    uint64_t i;
    padici_num_work_begin(&work, call->ring, call->scratch);
    x.u = work.u;
    for (i = 0; i < call->count; i++) {
        uint64_t y;
        uint32_t bits = 0;
        padici_cell_load(call, &call->a, i, &x);
        y = padici_float_of_cell(call, &x,
                                 call->other[1] ? ((const int16_t *)call->other[1])[i]
                                                : -(call->k >> 8),
                                 &work, &bits);
        padici_float_store(call->other[0], call->dtype, i, y);
        padici_num_report(call, i, bits);
    }
}

PADIC_API padic_result padic_num_to_float(padic_context *context,
                                          const padic_num_to_float_desc *desc)
{
    padici_num_task task;
    padic_result result;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_to_float", "desc is NULL");
    padici_num_task_begin(&task, "num_to_float", PADIC_KERNEL_NUM_TO_FLOAT, padici_to_float_loop,
                          NULL, &desc->in, NULL, NULL);
    task.field[1] = "in";
    task.other_field[0] = "out";
    result = padici_task_floats(context, &task, &desc->out, &desc->exponent, desc->mode,
                                desc->scale);
    if (result) return result;
    task.other_out = 1;
    task.status = &desc->status;
    task.sticky = desc->sticky;
    return padici_num_run(context, &task);
}

// room: src/num/digits.c
// ---- digits

// How words below 2^64 come apart: first by p^part < 2^32 (by p above), then digit by digit.
typedef struct padici_digit_plan {
    uint64_t p, magic;          // ceil(2^64 / p), by which x / p is exact for x, p < 2^32
    uint64_t power, part_magic; // p^part, floor(2^64 / p^part), by which it is at most 1 too small
    uint32_t part;
} padici_digit_plan;

static padici_digit_plan padici_digits_make(const padic_num_ring *r)
{
    padici_digit_plan d;
    d.p = r->p;
    d.magic = UINT64_MAX / r->p + 1;
    d.part = 1;
    while (d.part + 1 < r->power_count && !r->power[d.part + 1][1] &&
           r->power[d.part + 1][0] >> 32 == 0)
        d.part++;
    d.power = r->power[d.part][0];
    d.part_magic = UINT64_MAX / d.power;
    return d;
}

// The n digits of x < p^n, lowest first, from element `at` on, `step` apart.
PADICI_INLINE void padici_digits_put(const padici_digit_plan *d, uint64_t x, uint32_t n, void *to,
                                     uint64_t at, uint64_t step, uint32_t size)
{
    while (n > 0) {
        uint64_t low = x;
        uint32_t k = n;
        if (n > d->part) {
            k = d->part;
            x = padici_mulhi64(low, d->part_magic);
            low -= x * d->power;
            if (low >= d->power) {
                low -= d->power;
                x++;
            }
        }
        for (n -= k; k > 1; k--, at += step) {
            const uint64_t q = padici_mulhi64(low, d->magic);
            padici_int_store(to, size, at, low - q * d->p);
            low = q;
        }
        padici_int_store(to, size, at, low);
        at += step;
    }
}

static void padici_digits_put_any(const padici_digit_plan *d, uint64_t x, uint32_t n, void *to,
                                  uint64_t at, uint64_t step, uint32_t size)
{
    switch (size) {
    case 1: padici_digits_put(d, x, n, to, at, step, 1); break;
    case 2: padici_digits_put(d, x, n, to, at, step, 2); break;
    case 4: padici_digits_put(d, x, n, to, at, step, 4); break;
    default: padici_digits_put(d, x, n, to, at, step, 8);
    }
}

// The lowest digit of what digits 0 to k - 1 have been taken from, in place (RX: of its limb).
static uint64_t padici_ring_next_digit(const padic_num_ring *r, uint64_t *u, uint32_t k)
{
    uint64_t digit;
    if (r->form == PADIC_NUM_W128) {
        padici_wide rest;
        padici_wide_store(u,
                          padici_wide_div(padici_wide_load(u), padici_wide_make(r->p, 0), &rest));
        return rest.low;
    }
    if (r->form == PADIC_NUM_RX) u += k / r->limb_digits;
    digit = *u % r->p;
    *u /= r->p;
    return digit;
}

// u += d p^k, where digit k is 0.
static void padici_ring_set_digit(const padic_num_ring *r, uint64_t *u, uint32_t k, uint64_t d)
{
    if (r->form == PADIC_NUM_RX)
        u[k / r->limb_digits] += d * r->power[k % r->limb_digits][0];
    else if (r->form == PADIC_NUM_W128)
        padici_wide_store(u, padici_wide_add(padici_wide_load(u),
                                             padici_wide_mul_low(padici_wide_load(r->power[k]),
                                                                 padici_wide_make(d, 0))));
    else
        u[0] += d * r->power[k][0];
}

static void padici_ring_teichmueller(const padic_num_ring *r, uint64_t *x, uint64_t residue,
                                     uint64_t *temp);

// Digits of one element that is not STANDARD in one word. Destroys u.
static void padici_digits_slow(const padic_num_call *call, const padici_digit_plan *d, uint64_t *u,
                               uint64_t at, uint64_t step, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    const uint32_t kind = (uint32_t)call->k & 15, size = padic_dtype_size(call->dtype);
    uint64_t carry = 0;
    uint32_t k;
    if (kind == PADIC_NUM_STANDARD && r->form == PADIC_NUM_RX) {
        for (k = 0; k < r->words; k++, at += step * r->limb_digits)
            padici_digits_put_any(d, u[k], k + 1 < r->words ? r->limb_digits : r->top_digits,
                                  call->other[0], at, step, size);
        return;
    }
    for (k = 0; k < r->precision; k++, at += step) {
        uint64_t digit;
        if (kind == PADIC_NUM_TEICHMUELLER) {
            digit = padici_ring_digit(r, u);
            if (digit) {
                padici_ring_teichmueller(r, temp, digit, temp + r->words);
                padici_ring_sub(r, u, u, temp);
            }
            padici_ring_down(r, u, u, 1);
        } else {
            digit = padici_ring_next_digit(r, u, k);
            if (kind == PADIC_NUM_BALANCED_DIGITS) {
                digit += carry;
                carry = digit > r->p >> 1;
                digit -= carry ? r->p : 0;
            }
        }
        padici_int_store(call->other[0], size, at, digit);
    }
}

// Kernel TO_DIGITS: call->other[0] are digits of call->dtype, call->stride elements from plane to
// plane, or 0 for rows; other[1] i32 valuations or NULL; other[2] known digits or NULL, u16 if
// call->k & 16. call->k & 15 is the kind.
static void padici_to_digits_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const padici_digit_plan d = padici_digits_make(r);
    const int fast = (call->k & 15) == PADIC_NUM_STANDARD && r->form < PADIC_NUM_W128;
    const uint32_t size = padic_dtype_size(call->dtype), n = r->precision;
    const uint64_t step = call->stride ? call->stride : 1, row = call->stride ? 1 : n;
    padici_num_work work;
    padici_cell x;
    uint64_t i;
    padici_num_work_begin(&work, r, call->scratch);
    x.u = work.u;
    for (i = 0; i < call->count; i++) {
        padici_cell_load(call, &call->a, i, &x);
        if (x.v == PADIC_NUM_NAN) padici_ring_set(r, x.u, x.bits);
        if (fast)
            padici_digits_put_any(&d, x.u[0], n, call->other[0], i * row, step, size);
        else
            padici_digits_slow(call, &d, x.u, i * row, step, work.temp);
        if (call->other[1]) ((int32_t *)call->other[1])[i] = x.v;
        if (call->other[2]) padici_int_store(call->other[2], call->k & 16 ? 2 : 1, i, x.n);
        padici_num_report(call, i, x.bits);
    }
}

// The residue of one element's digits in u; 0 if one is out of range.
static int padici_digits_get(const padic_num_call *call, uint64_t *u, uint64_t at, uint64_t step,
                             uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    const uint32_t kind = (uint32_t)call->k & 15;
    uint64_t borrow = 0;
    uint32_t k;
    memset(u, 0, r->words * sizeof *u);
    for (k = 0; k < r->precision; k++, at += step) {
        int negative;
        uint64_t digit = padici_int_load(call->other[0], call->dtype, at, &negative);
        if (kind == PADIC_NUM_BALANCED_DIGITS) {
            if (digit > (negative ? (r->p - 1) >> 1 : r->p >> 1)) return 0;
            negative |= borrow && !digit;
            digit = negative ? r->p - digit - borrow : digit - borrow;
            borrow = (uint64_t)negative;
        } else if (digit >= r->p) {
            return 0;
        }
        if (kind != PADIC_NUM_TEICHMUELLER) {
            padici_ring_set_digit(r, u, k, digit);
        } else if (digit) {
            padici_ring_teichmueller(r, temp, digit, temp + r->words);
            padici_ring_up(r, temp, temp, k);
            padici_ring_add(r, u, u, temp);
        }
    }
    return 1;
}

// The same for n STANDARD digits in one word.
PADICI_INLINE int padici_digits_get1(const padic_num_ring *r, padic_dtype dtype, const void *from,
                                     uint32_t n, uint64_t at, uint64_t step, uint64_t *u)
{
    const uint64_t p = r->p;
    uint64_t x = 0, bad = 0;
    uint32_t k;
    int negative;
    for (k = 0; k < n; k++, at += step) {
        const uint64_t digit = padici_int_load(from, dtype, at, &negative);
        bad |= digit >= p;
        x += digit * r->power[k][0];
    }
    *u = x;
    return !bad;
}

static int padici_digits_get1_any(const padic_num_call *call, uint32_t n, uint64_t at,
                                  uint64_t step, uint64_t *u)
{
    const padic_num_ring *const r = call->ring;
    const void *const from = call->other[0];
    switch (call->dtype) {
    case PADIC_U8: return padici_digits_get1(r, PADIC_U8, from, n, at, step, u);
    case PADIC_U16: return padici_digits_get1(r, PADIC_U16, from, n, at, step, u);
    case PADIC_U32: return padici_digits_get1(r, PADIC_U32, from, n, at, step, u);
    default: return padici_digits_get1(r, PADIC_U64, from, n, at, step, u);
    }
}

// v and n of an element whose digits are in x->u, and what follows from them.
static void padici_digits_finish(padic_num_call *call, uint64_t i, padici_cell *x)
{
    int negative;
    if (call->model != PADIC_NUM_RING && call->other[1])
        x->v = ((const int32_t *)call->other[1])[i];
    if (call->model == PADIC_NUM_BALL && call->other[2])
        x->n = (uint32_t)padici_int_load(call->other[2], call->k & 16 ? PADIC_U16 : PADIC_U8, i,
                                         &negative);
    if (!x->bits && x->v == PADIC_NUM_NAN)
        x->bits = x->u[0] & PADIC_NUM_HARD ? (uint32_t)x->u[0] & 255 : (uint32_t)PADIC_NUM_OUTSIDE;
    else if (x->n > call->ring->precision)
        x->bits = PADIC_NUM_OUTSIDE;
    if (x->v != PADIC_NUM_ZERO && x->v != PADIC_NUM_NAN) {
        x->v = padici_val_clamp(x->v);
        padici_cell_normal(call, x);
        if (call->model == PADIC_NUM_FLOAT) x->bits &= ~(uint32_t)PADIC_NUM_PRECLOSS;
    }
    padici_cell_store(call, i, x);
}

// Kernel FROM_DIGITS, as TO_DIGITS.
static void padici_from_digits_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const int standard = (call->k & 15) == PADIC_NUM_STANDARD, word = r->form < PADIC_NUM_W128;
    const int plain = word && (call->model == PADIC_NUM_RING ||
                               (call->model == PADIC_NUM_FLOAT && !call->other[1]));
    const uint64_t step = call->stride ? call->stride : 1, row = call->stride ? 1 : r->precision;
    padici_num_work work;
    padici_cell x;
    uint64_t i;
    padici_num_work_begin(&work, r, call->scratch);
    x.u = work.u;
    for (i = 0; i < call->count; i++) {
        int good = 1;
        uint32_t k;
        x.v = 0;
        x.n = r->precision;
        if (standard && word)
            good = padici_digits_get1_any(call, r->precision, i * row, step, x.u);
        else if (standard && r->form == PADIC_NUM_RX)
            for (k = 0; k < r->words; k++)
                good &=
                    padici_digits_get1_any(call, k + 1 < r->words ? r->limb_digits : r->top_digits,
                                           i * row + k * r->limb_digits * step, step, x.u + k);
        else
            good = padici_digits_get(call, x.u, i * row, step, work.temp);
        x.bits = good ? 0 : PADIC_NUM_OUTSIDE;
        if (plain && good && x.u[0]) {
            if (call->model == PADIC_NUM_FLOAT)
                x.v = (int32_t)padici_word_split(r, work.limit, x.u[0], x.u);
            padici_cell_put(call, i, &x);
        } else {
            padici_digits_finish(call, i, &x);
        }
    }
}

// The operands of both directions.
static padic_result padici_task_digits(padic_context *context, padici_num_task *task,
                                       const padic_num_array *array,
                                       const padic_tensor *digits, padic_num_digit_kind kind,
                                       padic_num_layout layout, const padic_tensor *val,
                                       const padic_tensor *known)
{
    const padic_num_ring *r = array->ring;
    const uint32_t balanced = kind == PADIC_NUM_BALANCED_DIGITS,
                   planes = layout == PADIC_NUM_PLANES;
    uint32_t bits;
    task->field[1] = "in";
    task->other_field[0] = "digits";
    task->other_field[1] = "val";
    task->other_field[2] = "known";
    if (!padici_ring_is(r))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, task->name,
                              "the array has no ring: make one with num_ring_init");
    if ((uint32_t)kind > PADIC_NUM_TEICHMUELLER || (uint32_t)layout > PADIC_NUM_ROWS)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, task->name,
                              "kind or layout is none that there is");
    if (r->composite && (array->model != PADIC_NUM_RING || kind == PADIC_NUM_TEICHMUELLER))
        return padici_fail_in(context, PADIC_ERROR_NOT_SUPPORTED, task->name,
                              "a ring of a radix that is no prime has model RING and STANDARD or "
                              "BALANCED digits");
    task->composite = 1;
    task->other[0] = digits;
    task->other_each[0] = r->precision;
    task->other_planes = planes;
    task->other_dtypes[0] = balanced ? PADICI_SIGNED : PADICI_UNSIGNED;
    bits = 64 - padici_clz64(balanced ? r->p >> 1 : r->p - 1) + balanced;
    if ((uint32_t)digits->dtype < 32 && task->other_dtypes[0] >> digits->dtype & 1) {
        if (8 * padic_dtype_size(digits->dtype) < bits)
            return padici_fail_in(context, PADIC_ERROR_ARGUMENT, task->name,
                                  "digits has a dtype too narrow for p: choose a wider one");
        if (digits->rank == 2 && digits->shape[!planes] != r->precision)
            return padici_fail_in(context, PADIC_ERROR_MISMATCH, task->name,
                                  "digits must have N of them for each number, as `layout` says");
    }
    task->call.stride = planes ? array->count : 0;
    task->call.k = (int64_t)kind | (known->dtype == PADIC_U16 ? 16 : 0);
    if (val->dtype || val->data || val->buffer.id) task->other[1] = val;
    task->other_dtypes[1] = 1u << PADIC_I32;
    if (known->dtype || known->data || known->buffer.id) task->other[2] = known;
    task->other_dtypes[2] = 1u << PADIC_U16 | (r->precision < 256 ? 1u << PADIC_U8 : 0);
    return PADIC_OK;
}

PADIC_API padic_result padic_num_to_digits(padic_context *context,
                                           const padic_num_to_digits_desc *desc)
{
    padici_num_task task;
    padic_result result;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_to_digits", "desc is NULL");
    padici_num_task_begin(&task, "num_to_digits", PADIC_KERNEL_NUM_TO_DIGITS,
                          padici_to_digits_loop, NULL, &desc->in, NULL, NULL);
    result = padici_task_digits(context, &task, &desc->in, &desc->digits, desc->kind, desc->layout,
                                &desc->val, &desc->known);
    if (result) return result;
    task.other_out = 7;
    task.status = &desc->status;
    task.sticky = desc->sticky;
    return padici_num_run(context, &task);
}

PADIC_API padic_result padic_num_from_digits(padic_context *context,
                                             const padic_num_from_digits_desc *desc)
{
    padici_num_task task;
    padic_result result;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_from_digits", "desc is NULL");
    padici_num_task_begin(&task, "num_from_digits", PADIC_KERNEL_NUM_FROM_DIGITS,
                          padici_from_digits_loop, &desc->out, NULL, NULL, NULL);
    result = padici_task_digits(context, &task, &desc->out, &desc->digits, desc->kind, desc->layout,
                                &desc->val, &desc->known);
    if (result) return result;
    return padici_num_run(context, &task);
}

// room: src/num/random.c
// ---- random numbers, and how many digits

// w is a fraction, below its point: what w m has above it; w becomes the rest.
static uint64_t padici_big_carry(padici_big *w, uint64_t m)
{
    uint64_t carry = 0;
    uint32_t i;
    for (i = 0; i < w->n; i++) {
        const padici_wide x =
            padici_wide_add(padici_wide_mul(w->w[i], m), padici_wide_make(carry, 0));
        w->w[i] = x.low;
        carry = x.high;
    }
    return carry;
}

// floor(P w / 2^s), a few digits at a time from the top.
static void padici_random_residue(const padic_num_ring *r, uint64_t *u, uint64_t seed,
                                  uint64_t stream, uint64_t index, padici_big *w)
{
    const uint32_t blocks = (r->bits + 64 + 127) / 128, digits = padici_word_digits(r);
    padici_wide sum = {0, 0};
    uint32_t i, left;
    for (i = 0; i < blocks; i++) {
        const uint64_t block = index * blocks + i;
        uint32_t word[4];
        padic_random_block(seed, stream, (uint32_t)(block >> 32), (uint32_t)block, word);
        w->w[2 * i] = word[0] | (uint64_t)word[1] << 32;
        w->w[2 * i + 1] = word[2] | (uint64_t)word[3] << 32;
    }
    w->n = 2 * blocks;
    if (r->form == PADIC_NUM_RX) {
        for (i = r->words; i-- > 0;) u[i] = padici_big_carry(w, padici_limb_base(r, i));
    } else if (r->form < PADIC_NUM_W128) {
        u[0] = r->base ? padici_big_carry(w, r->base) : w->w[2 * blocks - 1];
    } else {
        for (left = r->precision; left > 0; left -= i) {
            i = left < digits ? left : digits;
            sum = padici_wide_mul_low(sum, padici_wide_make(r->power[i][0], 0));
            sum = padici_wide_add(sum, padici_wide_make(padici_big_carry(w, r->power[i][0]), 0));
        }
        padici_wide_store(u, sum);
    }
}

static void padici_random_loop(padic_num_call *call)
{
    const padic_num_random_desc *const desc = (const padic_num_random_desc *)call->options;
    padici_num_work work;
    padici_cell x;
    uint64_t i;
    padici_num_work_begin(&work, call->ring, call->scratch);
    x.u = work.u;
    for (i = 0; i < call->count; i++) {
        x.v = 0;
        x.n = call->ring->precision;
        x.bits = 0;
        padici_random_residue(call->ring, x.u, desc->seed, desc->stream,
                              desc->first + call->first + i, &work.a);
        padici_cell_normal(call, &x);
        x.bits = 0;
        padici_cell_store(call, i, &x);
    }
}

PADIC_API padic_result padic_num_random(padic_context *context, const padic_num_random_desc *desc)
{
    padici_num_task task;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_random", "desc is NULL");
    if (desc->first >> 48 || desc->out.count > (UINT64_C(1) << 48) - desc->first)
        return padici_fail_in(context, PADIC_ERROR_LIMIT, "num_random",
                              "first + out.count must not be above 2^48");
    padici_num_task_begin(&task, "num_random", PADIC_KERNEL_NUM_RANDOM, padici_random_loop,
                          &desc->out, NULL, NULL, NULL);
    task.call.options = desc;
    return padici_num_run(context, &task);
}

PADIC_API padic_result padic_num_ring_fit(uint64_t p, padic_num_fit kind, uint64_t bound,
                                          uint64_t bound2, uint32_t *precision)
{
    uint64_t words[2][4];
    padici_big least, power; // P > least
    uint32_t n = kind == PADIC_NUM_FIT_FRACTION ? 0 : 1;
    if (!precision) return PADIC_ERROR_ARGUMENT;
    *precision = 0;
    if ((uint32_t)kind > PADIC_NUM_FIT_FLOAT) return PADIC_ERROR_ARGUMENT;
    if (!padic_num_is_prime(p)) return PADIC_ERROR_PRIME;
    if (p >> 63) return PADIC_ERROR_LIMIT;
    least.w = words[0];
    power.w = words[1];
    least.room = power.room = 4;
    if (kind == PADIC_NUM_FIT_FLOAT) {
        if (bound < PADIC_F64 || bound > PADIC_BF16) return PADIC_ERROR_DTYPE;
        bound = (UINT64_C(2) << padici_format_of((padic_dtype)bound).mantissa) - 1;
    }
    padici_big_set(&least, bound);
    if (kind == PADIC_NUM_FIT_FRACTION) {
        if (!bound || !bound2) return PADIC_ERROR_ARGUMENT;
        padici_big_mul_add(&least, bound2, 0);
    }
    padici_big_up(&least, 1);
    for (padici_big_set(&power, n ? p : 1); !padici_big_less(&least, &power); n++)
        padici_big_mul_add(&power, p, 0);
    *precision = n + (kind == PADIC_NUM_FIT_FRACTION);
    return PADIC_OK;
}

// room: src/num/text.c
// ---- text

// One element, or a stream, without a task: checks an array and gives its planes and scratch.
static padic_result padici_num_open(padic_context *context, padic_num_call *call,
                                    padic_num_planes *planes, const padic_num_array *array,
                                    padici_num_work *work)
{
    padic_result result;
    void *status = NULL;
    if (!padici_ring_is(array->ring) || (uint32_t)array->model > PADIC_NUM_BALL)
        return PADIC_ERROR_ARGUMENT;
    call->ring = array->ring;
    call->model = array->model;
    if ((result = padici_num_planes_of(context, array, planes)) != PADIC_OK) return result;
    if (array->status.dtype || array->status.data) {
        result = padici_num_plane(context, &array->status, array->count, 1u << PADIC_U8, &status);
        if (result) return padici_blame(context, result, NULL, "status", NULL);
        call->status = (uint8_t *)status;
    }
    if (array->ring->form == PADIC_NUM_RX &&
        (!array->scratch || array->scratch_size < padic_num_scratch_bound(array->ring)))
        return padici_blame(context, PADIC_ERROR_CAPACITY, NULL, "scratch", NULL);
    if (array->ring->form == PADIC_NUM_RX && !padici_aligned(array->scratch, 8))
        return padici_blame(context, PADIC_ERROR_ALIGNMENT, NULL, "scratch", NULL);
    padici_num_work_begin(work, array->ring, array->scratch);
    return PADIC_OK;
}

// Text that is counted beyond its room.
typedef struct padici_line {
    char *text;
    size_t n, room;
} padici_line;

static void padici_line_char(padici_line *t, uint32_t c)
{
    if (t->n < t->room) t->text[t->n] = (char)c;
    t->n++;
}

static void padici_line_put(padici_line *t, const char *s)
{
    while (*s) padici_line_char(t, (uint8_t)*s++);
}

// The text from `begin` on, backwards.
static void padici_line_turn(padici_line *t, size_t begin)
{
    size_t end = t->n;
    if (end > t->room) return;
    for (; begin + 1 < end; begin++) {
        const char c = t->text[begin];
        t->text[begin] = t->text[--end];
        t->text[end] = c;
    }
}

static void padici_line_backwards(padici_line *t, uint64_t x, uint32_t least)
{
    uint32_t n = 0;
    for (; x || n < least; n++, x /= 10) padici_line_char(t, '0' + (uint32_t)(x % 10));
}

static void padici_line_u64(padici_line *t, uint64_t x)
{
    const size_t begin = t->n;
    padici_line_backwards(t, x, 1);
    padici_line_turn(t, begin);
}

static void padici_line_power(padici_line *t, const padic_num_ring *r, int64_t k)
{
    padici_line_u64(t, r->p);
    padici_line_char(t, '^');
    if (k < 0) padici_line_char(t, '-');
    padici_line_u64(t, (uint64_t)(k < 0 ? -k : k));
}

static const char *const padici_status_names[8] = {"DIV0",   "NONUNIT", "NOPOWER",  "OUTSIDE",
                                                   "RATREC", "RANGE",   "PRECLOSS", "INEXACT"};

static void padici_line_value(padici_line *t, const padic_num_ring *r, const uint64_t *u,
                              padici_num_work *work)
{
    const padici_divisor ten19 = padici_divisor_make(UINT64_C(10000000000000000000));
    const size_t begin = t->n;
    padici_big_of_ring(r, &work->a, u);
    do {
        const uint64_t low = padici_big_div(&work->a, &ten19);
        padici_line_backwards(t, low, work->a.n ? 19 : low ? 0 : 1);
    } while (work->a.n);
    padici_line_turn(t, begin);
}

static void padici_line_digits(padici_line *t, const padic_num_ring *r, uint64_t *u, uint32_t n)
{
    size_t begin;
    uint32_t k;
    padici_line_put(t, "...");
    begin = t->n;
    for (k = 0; k < n; k++) {
        if (k) padici_line_char(t, ' ');
        padici_line_backwards(t, padici_ring_next_digit(r, u, k), 1);
    }
    padici_line_turn(t, begin);
    padici_line_put(t, " (");
    padici_line_u64(t, r->p);
    padici_line_char(t, ')');
}

static void padici_line_cell(padici_line *t, const padic_num_call *call, padici_cell *x,
                             padic_num_text style, padici_num_work *work)
{
    const padic_num_ring *r = call->ring;
    uint32_t i, names = 0;
    if (x->v == PADIC_NUM_NAN) {
        padici_line_put(t, "nan(");
        for (i = 0; i < 8; i++)
            if (x->bits >> i & 1) {
                if (names++) padici_line_char(t, '|');
                padici_line_put(t, padici_status_names[i]);
            }
        padici_line_char(t, ')');
        return;
    }
    if (x->v == PADIC_NUM_ZERO) {
        padici_line_char(t, '0');
        return;
    }
    if (x->n && style == PADIC_NUM_TEXT_DIGITS)
        padici_line_digits(t, r, x->u, x->n);
    else if (x->n)
        padici_line_value(t, r, x->u, work);
    if (x->n && x->v) {
        padici_line_put(t, " * ");
        padici_line_power(t, r, x->v);
    }
    if (style == PADIC_NUM_TEXT_VALUE && call->model == PADIC_NUM_RING) {
        padici_line_put(t, " mod ");
        padici_line_power(t, r, r->precision);
    }
    if (!x->n || (style == PADIC_NUM_TEXT_VALUE && call->model == PADIC_NUM_BALL)) {
        padici_line_put(t, x->n ? " + O(" : "O(");
        padici_line_power(t, r, (int64_t)x->v + x->n);
        padici_line_char(t, ')');
    }
}

PADIC_API size_t padic_num_print_bound(const padic_num_ring *ring, padic_num_text style)
{
    padici_line t;
    if (!padici_ring_is(ring) || (uint32_t)style > PADIC_NUM_TEXT_DIGITS) return 0;
    memset(&t, 0, sizeof t);
    padici_line_u64(&t, ring->p - 1);
    // 128 for p three times, two exponents and what stands between, or all names of a NaN
    return 128 + (style == PADIC_NUM_TEXT_DIGITS ? (t.n + 1) * ring->precision
                                                 : (size_t)ring->bits * 1234 / 4096 + 2);
}

PADIC_API padic_result padic_num_print(const padic_num_array *in, uint64_t index,
                                       padic_num_text style, char *text, size_t capacity,
                                       size_t *size)
{
    padic_num_call call;
    padici_num_work work;
    padici_line t;
    padici_cell x;
    padic_result result;
    if (size) *size = 0;
    if (!in || (!text && capacity) || (uint32_t)style > PADIC_NUM_TEXT_DIGITS)
        return PADIC_ERROR_ARGUMENT;
    memset(&call, 0, sizeof call);
    memset(&t, 0, sizeof t);
    t.text = text;
    if (index >= in->count) return PADIC_ERROR_REGION;
    if ((result = padici_num_open(NULL, &call, &call.a, in, &work)) != PADIC_OK) return result;
    if (in->ring->composite && in->model != PADIC_NUM_RING) return PADIC_ERROR_NOT_SUPPORTED;
    x.u = work.u;
    do { // count, then write
        t.room = t.n;
        t.n = 0;
        padici_cell_load(&call, &call.a, index, &x);
        padici_line_cell(&t, &call, &x, style, &work);
        if (size) *size = t.n < capacity ? t.n : t.n + 1;
        if (t.n >= capacity) return PADIC_ERROR_CAPACITY;
    } while (!t.room);
    text[t.n] = 0;
    return PADIC_OK;
}

typedef struct padici_scan {
    const char *text;
    size_t n, at;
} padici_scan;

// The next character that is no space, or 0.
static uint32_t padici_scan_peek(padici_scan *s)
{
    while (s->at < s->n && s->text[s->at] == ' ') s->at++;
    return s->at < s->n ? (uint8_t)s->text[s->at] : 0;
}

static int padici_scan_word(padici_scan *s, const char *word)
{
    const size_t length = strlen(word);
    (void)padici_scan_peek(s);
    if (s->n - s->at < length || memcmp(s->text + s->at, word, length) != 0) return 0;
    s->at += length;
    return 1;
}

// The digit that stands right here, or 10.
static uint32_t padici_scan_digit(const padici_scan *s)
{
    const uint32_t c = s->at < s->n ? (uint8_t)s->text[s->at] : 0;
    return c >= '0' && c <= '9' ? c - '0' : 10;
}

static padic_result padici_scan_u64(padici_scan *s, uint64_t *x)
{
    uint64_t digit;
    *x = 0;
    (void)padici_scan_peek(s);
    if (padici_scan_digit(s) > 9) return PADIC_ERROR_CORRUPT;
    for (; (digit = padici_scan_digit(s)) < 10; s->at++) {
        if (*x > (UINT64_MAX - digit) / 10) return PADIC_ERROR_CORRUPT;
        *x = 10 * *x + digit;
    }
    return PADIC_OK;
}

static padic_result padici_scan_exponent(padici_scan *s, int64_t *k)
{
    const int negative = padici_scan_word(s, "-");
    const size_t at = s->at;
    uint64_t x;
    padic_result result;
    *k = 0;
    if (!negative) (void)padici_scan_word(s, "+");
    if ((result = padici_scan_u64(s, &x)) != PADIC_OK) return result;
    if (x > UINT64_C(1) << 30) { // a ball may know more digits than a valuation can be
        s->at = at;
        return PADIC_ERROR_CORRUPT;
    }
    *k = negative ? -(int64_t)x : (int64_t)x;
    return PADIC_OK;
}

// p itself, then ^k if `k` is given.
static padic_result padici_scan_prime(padici_scan *s, const padic_num_ring *r, int64_t *k)
{
    size_t at;
    uint64_t p;
    padic_result result;
    (void)padici_scan_peek(s);
    at = s->at;
    if ((result = padici_scan_u64(s, &p)) != PADIC_OK) return result;
    if (p != r->p) {
        s->at = at;
        return PADIC_ERROR_DOMAIN;
    }
    if (!k) return PADIC_OK;
    return padici_scan_word(s, "^") ? padici_scan_exponent(s, k) : PADIC_ERROR_CORRUPT;
}

static padic_result padici_scan_nan(padici_scan *s, uint32_t *bits)
{
    uint32_t i;
    do {
        for (i = 0; i < 8 && !padici_scan_word(s, padici_status_names[i]);) i++;
        if (i == 8) return PADIC_ERROR_CORRUPT;
        *bits |= 1u << i;
    } while (padici_scan_word(s, "|"));
    return padici_scan_word(s, ")") && *bits & PADIC_NUM_HARD ? PADIC_OK : PADIC_ERROR_CORRUPT;
}

// "4 2 0 (5)" behind "...". The count comes first, since the highest digit does.
static padic_result padici_scan_digits(padici_scan *s, const padic_num_ring *r, padici_cell *x)
{
    const size_t begin = s->at;
    uint32_t n = 0, k;
    uint64_t digit;
    padic_result result = PADIC_OK;
    memset(x->u, 0, r->words * sizeof *x->u);
    for (; padici_scan_peek(s) != '('; n++) {
        if (n == r->precision) return PADIC_ERROR_CORRUPT;
        if ((result = padici_scan_u64(s, &digit)) != PADIC_OK) return result;
    }
    if (!n) return PADIC_ERROR_CORRUPT;
    s->at = begin;
    for (k = n; k > 0; k--) {
        (void)padici_scan_u64(s, &digit);
        if (digit >= r->p) {
            s->at--; // its last decimal
            return PADIC_ERROR_CORRUPT;
        }
        padici_ring_set_digit(r, x->u, k - 1, digit);
    }
    (void)padici_scan_word(s, "(");
    x->n = n;
    if (n < r->precision) x->bits = PADIC_NUM_PRECLOSS;
    if ((result = padici_scan_prime(s, r, NULL)) != PADIC_OK) return result;
    return padici_scan_word(s, ")") ? PADIC_OK : PADIC_ERROR_CORRUPT;
}

// Decimal digits right here into b, *points of them after a point if that is given.
static padic_result padici_scan_decimal(padici_scan *s, padici_big *b, int64_t *points)
{
    uint32_t digits = 0, digit;
    int point = 0;
    b->n = 0;
    for (;; s->at++) {
        if (points && !point && s->at < s->n && s->text[s->at] == '.') {
            point = 1;
            continue;
        }
        if ((digit = padici_scan_digit(s)) > 9) break;
        if (!padici_big_mul_add(b, 10, digit)) return PADIC_ERROR_CORRUPT;
        digits++;
        if (point) ++*points;
    }
    return digits ? PADIC_OK : PADIC_ERROR_CORRUPT;
}

// An integer, a fraction or a decimal, as a split number.
static padic_result padici_scan_number(padici_scan *s, const padic_num_call *call, padici_cell *x,
                                       padici_num_work *work)
{
    const padic_num_ring *r = call->ring;
    const int negative = padici_scan_word(s, "-");
    int64_t exponent = 0, points = 0;
    padici_cell a, b;
    padic_num_call split = *call;
    padic_result result;
    if (!negative) (void)padici_scan_word(s, "+");
    (void)padici_scan_peek(s);
    if ((result = padici_scan_decimal(s, &work->a, r->composite ? NULL : &points)) != PADIC_OK)
        return result;
    a.u = work->temp;
    b.u = work->temp + r->words;
    padici_cell_of_big(r, r->composite ? x : &a, &work->a, negative, !r->composite);
    if (r->composite) return PADIC_OK;
    padici_big_set(&work->a, 10);
    if (s->at < s->n && (s->text[s->at] | 32) == 'e') {
        s->at++;
        if ((result = padici_scan_exponent(s, &exponent)) != PADIC_OK) return result;
    } else if (!points && padici_scan_word(s, "/")) {
        (void)padici_scan_peek(s);
        if ((result = padici_scan_decimal(s, &work->a, NULL)) != PADIC_OK) return result;
        exponent = -1; // b is not ten
    }
    exponent -= points;
    padici_cell_of_big(r, &b, &work->a, 0, 1);
    split.model = PADIC_NUM_FLOAT;
    if (b.v != PADIC_NUM_ZERO) {
        const uint64_t k = (uint64_t)(exponent < 0 ? -exponent : exponent);
        b.v = padici_val_clamp(b.v * (int64_t)k);
        padici_ring_pow(r, x->u, b.u, k, work->temp + 2 * r->words);
        padici_ring_copy(r, b.u, x->u);
    }
    if (exponent < 0)
        padici_cell_div(&split, x, &a, &b, work->temp + 2 * r->words);
    else
        padici_cell_mul(&split, x, &a, &b);
    return PADIC_OK;
}

// What may follow a number: a power of p; the modulus of a ring, or what a ball knows.
static padic_result padici_scan_tail(padici_scan *s, const padic_num_call *call, padici_cell *x)
{
    const padic_num_ring *r = call->ring;
    int64_t k;
    size_t at;
    padic_result result;
    if (!r->composite && padici_scan_word(s, "*")) {
        if ((result = padici_scan_prime(s, r, &k)) != PADIC_OK) return result;
        if (x->v != PADIC_NUM_ZERO) x->v = padici_val_clamp(x->v + k);
    }
    at = s->at;
    if (padici_scan_word(s, "mod")) {
        if (call->model == PADIC_NUM_RING) {
            if ((result = padici_scan_prime(s, r, &k)) != PADIC_OK) return result;
            if (k == (int64_t)r->precision) return PADIC_OK;
        }
        s->at = at;
        return PADIC_ERROR_DOMAIN;
    }
    if (!padici_scan_word(s, "+")) return PADIC_OK;
    if (!padici_scan_word(s, "O(")) return PADIC_ERROR_CORRUPT;
    if (call->model != PADIC_NUM_BALL) {
        s->at = at;
        return PADIC_ERROR_DOMAIN;
    }
    if ((result = padici_scan_prime(s, r, &k)) != PADIC_OK) return result;
    if (x->v == PADIC_NUM_ZERO || k <= x->v) {
        x->v = (int32_t)k;
        x->n = 0;
    } else if (k - x->v < (int64_t)x->n) {
        x->n = (uint32_t)(k - x->v);
    }
    return padici_scan_word(s, ")") ? PADIC_OK : PADIC_ERROR_CORRUPT;
}

static padic_result padici_scan_all(padici_scan *s, const padic_num_call *call, padici_cell *x,
                                    padici_num_work *work)
{
    const size_t at = s->at;
    int64_t k;
    padic_result result;
    if (padici_scan_word(s, "nan(") || padici_scan_word(s, "O(")) {
        const int ball = s->text[s->at - 2] == 'O';
        if (ball ? call->model != PADIC_NUM_BALL : call->model == PADIC_NUM_RING) {
            s->at = at;
            return PADIC_ERROR_DOMAIN;
        }
        if (!ball) {
            x->v = PADIC_NUM_NAN;
            return padici_scan_nan(s, &x->bits);
        }
        result = padici_scan_prime(s, call->ring, &k);
        memset(x->u, 0, call->ring->words * sizeof *x->u);
        x->v = (int32_t)k;
        x->n = 0;
        return result ? result : padici_scan_word(s, ")") ? PADIC_OK : PADIC_ERROR_CORRUPT;
    }
    result = padici_scan_word(s, "...") ? padici_scan_digits(s, call->ring, x)
                                        : padici_scan_number(s, call, x, work);
    return result ? result : padici_scan_tail(s, call, x);
}

PADIC_API padic_result padic_num_parse(const padic_num_array *out, uint64_t index, const char *text,
                                       size_t size, size_t *bad)
{
    padic_num_call call;
    padici_num_work work;
    padici_scan s;
    padici_cell x;
    padic_result result;
    if (bad) *bad = 0;
    if (!out || !text) return PADIC_ERROR_ARGUMENT;
    if (index >= out->count) return PADIC_ERROR_REGION;
    memset(&call, 0, sizeof call);
    if ((result = padici_num_open(NULL, &call, &call.out, out, &work)) != PADIC_OK) return result;
    if (out->ring->composite && out->model != PADIC_NUM_RING) return PADIC_ERROR_NOT_SUPPORTED;
    s.text = text;
    s.n = size;
    s.at = 0;
    x.u = work.u;
    x.v = 0;
    x.n = out->ring->precision;
    x.bits = 0;
    result = padici_scan_all(&s, &call, &x, &work);
    if (!result && (padici_scan_peek(&s) || s.at < s.n)) result = PADIC_ERROR_CORRUPT;
    if (result) {
        if (bad) *bad = s.at;
        return result;
    }
    if (x.v != PADIC_NUM_NAN) { // one that was written so raises nothing
        if (!(x.bits & PADIC_NUM_HARD)) padici_cell_settle(&call, &x);
        padici_cell_normal(&call, &x);
        if (x.bits & PADIC_NUM_HARD && !out->sticky && !call.status) result = PADIC_ERROR_DOMAIN;
    }
    padici_cell_store(&call, index, &x);
    if (out->sticky) *out->sticky |= call.bits;
    return result;
}

// room: src/num/bytes.c
// ---- bytes

#define PADICI_WIRE_HEAD 40u
#define PADICI_WIRE_BLOCK 65536u

// How an array looks as bytes.
typedef struct padici_wire {
    uint32_t unit, val, known; // bytes of one element; val: at most
    uint64_t seed;             // the checksum of the header
} padici_wire;

static padici_wire padici_wire_of(const padic_num_array *a)
{
    padici_wire w;
    w.unit = (a->ring->bits + 7) / 8;
    w.val = a->model == PADIC_NUM_RING ? 0 : 5;
    w.known = a->model != PADIC_NUM_BALL ? 0 : a->ring->precision > 255 ? 2 : 1;
    w.seed = 0;
    return w;
}

static uint32_t padici_zigzag(int32_t v)
{
    return (uint32_t)v << 1 ^ (v < 0 ? UINT32_MAX : 0);
}

PADIC_API size_t padic_num_write_bound(const padic_num_array *array)
{
    padici_wire w;
    uint64_t size;
    if (!array || !padici_ring_is(array->ring) || array->ring->composite) return 0;
    w = padici_wire_of(array);
    if (!padici_mul_u64(array->count, w.unit + w.val + w.known, &size) || size >> 62) return 0;
    size += PADICI_WIRE_HEAD + 12 * (array->count / PADICI_WIRE_BLOCK + 1);
    return size > (size_t)-1 / 2 ? 0 : (size_t)size;
}

// Units, valuations, digits known of a block, each after the other; its checksum is not in it.
static uint8_t *padici_num_write_block(padic_num_call *call, padici_wire w, uint64_t first,
                                       uint64_t end, uint8_t *to, padici_cell *x,
                                       padici_num_work *work)
{
    uint64_t i;
    uint32_t k;
    for (i = first; i < end; i++, to += w.unit) {
        padici_cell_load(call, &call->a, i, x);
        padici_big_of_ring(call->ring, &work->a, x->u);
        for (k = 0; k < w.unit; k++)
            to[k] = (uint8_t)(k / 8 < work->a.n ? work->a.w[k / 8] >> 8 * (k % 8) : 0);
    }
    for (i = first; i < end && w.val; i++) {
        uint32_t v = padici_zigzag(padici_val_load(&call->a, i));
        for (; v > 127; v >>= 7) *to++ = (uint8_t)(v | 128);
        *to++ = (uint8_t)v;
    }
    for (i = first; i < end && w.known; i++, to += w.known) {
        padici_cell_load(call, &call->a, i, x);
        to[0] = (uint8_t)x->n;
        if (w.known > 1) to[1] = (uint8_t)(x->n >> 8);
    }
    return to;
}

PADIC_API padic_result padic_num_write(padic_context *context, const padic_num_array *array,
                                       void *data, size_t capacity, size_t *size)
{
    padic_num_call call;
    padici_wire w;
    padici_num_work work;
    padici_cell x;
    uint8_t *p = (uint8_t *)data;
    uint64_t i, need;
    padic_result result;
    if (size) *size = 0;
    if (!array || !data || !size)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_write",
                              !array ? "array is NULL" : !data ? "data is NULL" : "size is NULL");
    need = padic_num_write_bound(array);
    memset(&call, 0, sizeof call);
    result = padici_num_open(context, &call, &call.a, array, &work);
    if (!result && !need)
        result = padici_blame(context, array->ring->composite ? PADIC_ERROR_NOT_SUPPORTED
                                                              : PADIC_ERROR_LIMIT,
                              NULL, array->ring->composite ? "ring" : "count", NULL);
    if (!result && array->count && padic_num_check(NULL, array, NULL))
        result = padici_blame(context, PADIC_ERROR_CORRUPT, NULL, NULL,
                              "has an element that is not canonical: see num_check");
    if (result) {
        padici_blame(context, result, "array", NULL, NULL);
        return padici_fault(context, result, "num_write");
    }
    w = padici_wire_of(array);
    for (i = 0; i < array->count && w.val; i++) { // what varints save
        uint32_t v = padici_zigzag(padici_val_load(&call.a, i)), n = 1;
        for (; v > 127; v >>= 7) n++;
        need -= 5 - n;
    }
    *size = (size_t)need - (array->count % PADICI_WIRE_BLOCK ? 0 : 12);
    if (capacity < *size)
        return padici_fail_in(context, PADIC_ERROR_CAPACITY, "num_write",
                              "capacity is below the size returned");
    x.u = work.u;
    memset(p, 0, PADICI_WIRE_HEAD);
    memcpy(p, "PDN\1", 4);
    p[4] = (uint8_t)array->model;
    p[5] = (uint8_t)((2u << (uint32_t)array->model) - 1);
    padici_store64(p + 8, array->ring->p);
    padici_store64(p + 16, array->count);
    padici_store32(p + 24, array->ring->precision);
    w.seed = padici_checksum(p, 32, 0);
    padici_store64(p + 32, w.seed);
    p += PADICI_WIRE_HEAD;
    for (i = 0; i < array->count; i += PADICI_WIRE_BLOCK) {
        const uint64_t left = array->count - i,
                       n = left < PADICI_WIRE_BLOCK ? left : PADICI_WIRE_BLOCK;
        uint8_t *const end = padici_num_write_block(&call, w, i, i + n, p + 4, &x, &work);
        padici_store32(p, (uint32_t)(end - p) - 4);
        padici_store64(end, padici_checksum(p, (size_t)(end - p), w.seed + i));
        p = end + 8;
    }
    return PADIC_OK;
}

PADIC_API padic_result padic_num_read_header(const void *data, size_t size,
                                             padic_num_header *header)
{
    const uint8_t *const p = (const uint8_t *)data;
    if (!header || (!data && size)) return PADIC_ERROR_ARGUMENT;
    memset(header, 0, sizeof *header);
    if (size < PADICI_WIRE_HEAD || memcmp(p, "PDN", 3) != 0) return PADIC_ERROR_CORRUPT;
    if (p[3] != 1) return p[3] ? PADIC_ERROR_VERSION : PADIC_ERROR_CORRUPT;
    if (padici_load64(p + 32) != padici_checksum(p, 32, 0)) return PADIC_ERROR_CHECKSUM;
    if (p[4] > PADIC_NUM_BALL || p[5] != (2u << p[4]) - 1 || p[6] | p[7] || padici_load32(p + 28))
        return PADIC_ERROR_CORRUPT;
    header->model = (padic_num_model)p[4];
    header->p = padici_load64(p + 8);
    header->count = padici_load64(p + 16);
    header->precision = padici_load32(p + 24);
    return PADIC_OK;
}

// A zigzag varint of 32 bits in its shortest form.
static int padici_varint(const uint8_t **at, const uint8_t *end, int32_t *v)
{
    uint32_t x = 0, shift = 0, byte;
    do {
        if (*at == end) return 0;
        byte = *(*at)++;
        if (shift == 28 && byte > 15) return 0;
        x |= (byte & 127) << shift;
        shift += 7;
    } while (byte & 128);
    *v = (int32_t)(x >> 1 ^ (x & 1 ? UINT32_MAX : 0));
    return byte || shift == 7;
}

// The elements of a payload, checked; written if `store`.
static padic_result padici_num_read_block(padic_num_call *call, padici_wire w, uint64_t first,
                                          uint64_t n, const uint8_t *p, const uint8_t *end,
                                          padici_cell *x, padici_num_work *work, int store)
{
    const padic_num_ring *r = call->ring;
    const uint8_t *const known = end - n * w.known, *val = p + n * w.unit;
    padic_num_planes wide = call->out;
    uint64_t i;
    uint32_t k;
    wide.val16 = 0; // what is canonical but does not fit is told apart
    for (i = 0; i < n; i++, p += w.unit) {
        x->v = 0;
        x->n = r->precision;
        x->bits = 0;
        work->a.n = (w.unit + 7) / 8;
        memset(work->a.w, 0, work->a.n * sizeof *work->a.w);
        for (k = 0; k < w.unit; k++) work->a.w[k / 8] |= (uint64_t)p[k] << 8 * (k % 8);
        padici_big_trim(&work->a);
        if (w.val && !padici_varint(&val, known, &x->v)) return PADIC_ERROR_CORRUPT;
        if (w.known == 1) x->n = known[i];
        if (w.known == 2) x->n = padici_load16(known + 2 * i);
        if (x->v == PADIC_NUM_NAN) {
            memset(x->u, 0, r->words * sizeof *x->u);
            if (work->a.n) x->u[0] = work->a.w[0];
            if (work->a.n > 1) return PADIC_ERROR_CORRUPT;
            x->bits = (uint32_t)x->u[0] & 255;
        } else if (!padici_ring_of_big(r, x->u, &work->a)) {
            return PADIC_ERROR_CORRUPT;
        }
        if (!padici_cell_canonical(call, &wide, x)) return PADIC_ERROR_CORRUPT;
        if (call->out.val16 && x->v != PADIC_NUM_ZERO && x->v != PADIC_NUM_NAN &&
            (x->v > PADIC_NUM_MAX_VALUATION16 || x->v < -PADIC_NUM_MAX_VALUATION16))
            return PADIC_ERROR_LIMIT;
        if (store) padici_cell_store(call, first + i, x);
    }
    return w.val && val != known ? PADIC_ERROR_CORRUPT : PADIC_OK;
}

static padic_result padici_num_read_blocks(padic_num_call *call, padici_wire w, uint64_t count,
                                           const uint8_t *p, uint64_t left, padici_num_work *work,
                                           int store)
{
    padici_cell x;
    uint64_t i;
    padic_result result;
    x.u = work->u;
    for (i = 0; i < count; i += PADICI_WIRE_BLOCK) {
        const uint64_t n = count - i < PADICI_WIRE_BLOCK ? count - i : PADICI_WIRE_BLOCK;
        const uint64_t size = left < 12 ? 0 : padici_load32(p);
        if (left < 12 || size > left - 12 || size < n * (w.unit + (w.val != 0) + w.known) ||
            size > n * (w.unit + w.val + w.known))
            return PADIC_ERROR_CORRUPT;
        if (padici_load64(p + 4 + size) != padici_checksum(p, (size_t)size + 4, w.seed + i))
            return PADIC_ERROR_CHECKSUM;
        result = padici_num_read_block(call, w, i, n, p + 4, p + 4 + size, &x, work, store);
        if (result) return result;
        p += size + 12;
        left -= size + 12;
    }
    return left ? PADIC_ERROR_CORRUPT : PADIC_OK;
}

PADIC_API padic_result padic_num_read(padic_context *context, const padic_num_array *out,
                                      const void *data, size_t size)
{
    const uint8_t *const p = (const uint8_t *)data;
    padic_num_header header;
    padic_num_call call;
    padici_wire w;
    padici_num_work work;
    int store;
    padic_result result = padic_num_read_header(data, size, &header);
    padici_blame(context, result, "data", NULL, padic_result_text(result));
    if (!result && !out)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "out", NULL, "is NULL");
    memset(&call, 0, sizeof call);
    if (!result) {
        result = padici_num_open(context, &call, &call.out, out, &work);
        padici_blame(context, result, "out", NULL, NULL);
    }
    if (result) return padici_fault(context, result, "num_read");
    if (header.p != out->ring->p || header.precision != out->ring->precision ||
        header.model != out->model || out->ring->composite)
        return padici_fail_in(context, PADIC_ERROR_RING, "num_read",
                              "out has another prime, precision or model than the stream: see "
                              "num_read_header");
    if (header.count < out->count)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, "num_read",
                              "out.count is more than the stream has: see num_read_header");
    if (header.count > out->count)
        return padici_fail_in(context, PADIC_ERROR_CAPACITY, "num_read",
                              "out.count is less than the stream has: see num_read_header");
    w = padici_wire_of(out);
    w.seed = padici_load64(p + 32);
    for (store = 0; store < 2 && !result; store++)
        result = padici_num_read_blocks(&call, w, header.count, p + PADICI_WIRE_HEAD,
                                        size - PADICI_WIRE_HEAD, &work, store);
    if (!result) return PADIC_OK;
    padici_blame(context, result, result == PADIC_ERROR_LIMIT ? "out" : "data",
                 result == PADIC_ERROR_LIMIT ? "val" : NULL,
                 result == PADIC_ERROR_LIMIT ? "is I16, and a valuation of the stream does not fit"
                                             : padic_result_text(result));
    return padici_fault(context, result, "num_read");
}

// room: src/num/series.c
// -------------------------------------------------------------------------------- >>series impl
//
// From the bottom up: tables, Teichmueller residues, exp and log, roots modulo p, roots, Hensel.
// The kernels of a backend: SQRT, EXP, TEICHMUELLER have out and a; LOG also k, its options.

// The block of padic_num_ring_tables(): this, then the tables, each at an offset in 64-bit words
// from here, 0 if there is none. Seeds (u32) are found by u mod q = p^digits: the inverse of u
// modulo q, and 1 / sqrt(u), of the root with the smaller residue, 0 if there is none.
typedef struct padici_tables {
    uint64_t modulus, reciprocal, p_reciprocal; // q; floor((2^64 - 1) / q); the same of p
    uint32_t digits, root_digits;
    uint32_t inverse, root, teichmueller, series[2]; // of exp, log
} padici_tables;

#define PADICI_SERIES_TERMS 160u // at most, up to W128: exp, p = 3, N = 80

static const padici_tables *padici_tables_of(const padic_num_ring *r)
{
    return (const padici_tables *)r->tables;
}

static const uint64_t *padici_table(const padici_tables *t, uint32_t offset)
{
    return t && offset ? (const uint64_t *)(const void *)t + offset : NULL;
}

// a mod m, reciprocal = floor((2^64 - 1) / m): the quotient is at most one too small.
PADICI_INLINE uint64_t padici_table_mod(uint64_t a, uint64_t m, uint64_t reciprocal)
{
    const uint64_t x = a - padici_mulhi64(a, reciprocal) * m;
    return x >= m ? x - m : x;
}

// u modulo q: where the seeds of u are.
static uint64_t padici_table_index(const padic_num_ring *r, const padici_tables *t,
                                   const uint64_t *u)
{
    padici_wide rest;
    if (r->form != PADIC_NUM_W128 || !u[1])
        return padici_table_mod(u[0], t->modulus, t->reciprocal);
    padici_wide_div(padici_wide_load(u), padici_wide_make(t->modulus, 0), &rest);
    return rest.low;
}

// The inverse of a unit modulo p^*known, the start of Newton's steps.
static uint64_t padici_seed_inverse(const padic_num_ring *r, const uint64_t *a, uint32_t *known)
{
    const padici_tables *t = padici_tables_of(r);
    *known = t && t->inverse ? t->digits : 1;
    if (t && t->inverse)
        return ((const uint32_t *)padici_table(t, t->inverse))[padici_table_index(r, t, a)];
    return padici_inverse_mod(padici_ring_digit(r, a), r->p);
}

// Long numbers: how many limbs hold `digits`. *low is the ring of so many.
static const padic_num_ring *padici_ring_short(const padic_num_ring *r, padic_num_ring *low,
                                               uint32_t digits)
{
    uint32_t words;
    if (r->form != PADIC_NUM_RX) return r;
    words = (digits + r->limb_digits - 1) / r->limb_digits;
    if (words >= r->words) return r;
    if (!low->magic) *low = *r;
    low->words = words;
    low->top_digits = r->limb_digits;
    low->precision = words * r->limb_digits;
    return low;
}

// x = w(residue) for a residue modulo p, p = 2: modulo 4. `t` has room for 6 residues. Newton for
// x^p = x, with the derivative p - 1 at the root: x = (p x - x^p) / (p - 1). Of e right digits it
// makes 2 e + 1.
static void padici_ring_teichmueller(const padic_num_ring *r, uint64_t *x, uint64_t residue,
                                     uint64_t *t)
{
    const padici_tables *tables = padici_tables_of(r);
    const uint64_t *table = tables ? padici_table(tables, tables->teichmueller) : NULL;
    uint64_t *const inverse = t, *const p = t + r->words, *const power = t + 2 * r->words;
    const padic_num_ring *now;
    padic_num_ring low;
    uint32_t known = 1;
    low.magic = 0;
    if (r->p == 2) {
        padici_ring_set(r, x, residue & 1);
        if ((residue & 3) == 3) padici_ring_neg(r, x, x);
        return;
    }
    residue %= r->p;
    if (table) {
        padici_ring_copy(r, x, table + residue * r->words);
        return;
    }
    padici_ring_set(r, x, residue);
    if (residue < 2 || r->precision == 1) return;
    padici_ring_set(r, power, r->p - 1);
    padici_ring_inv(r, inverse, power, t + 3 * r->words);
    padici_ring_set(r, p, r->p);
    while (known < r->precision) {
        known = 2 * known + 1;
        now = padici_ring_short(r, &low, known);
        padici_ring_pow(now, power, x, r->p, t + 3 * r->words);
        padici_ring_mul(now, t + 3 * r->words, p, x);
        padici_ring_sub(now, power, t + 3 * r->words, power);
        padici_ring_mul(now, x, power, inverse);
    }
}

// exp and log. With x = p^c y: exp(x) = sum p^(kc)/k! y^k and -log(1 - x) = sum p^(kc)/k y^k have
// integral coefficients, so that no digit is lost and none is needed in reserve.

// The least v of x for exp.
PADICI_INLINE uint32_t padici_series_c(const padic_num_ring *r)
{
    return r->p == 2 ? 2 : 1;
}

static uint32_t padici_small_valuation(uint64_t p, uint64_t k, uint64_t *unit)
{
    uint32_t v = 0;
    for (; k && k % p == 0; k /= p) v++;
    *unit = k;
    return v;
}

// The valuation of coefficient k.
static int64_t padici_series_valuation(uint64_t p, uint32_t c, int log, uint64_t k)
{
    uint64_t v = 0, unit = k;
    if (log)
        v = padici_small_valuation(p, k, &unit);
    else
        while ((unit /= p) > 0) v += unit;
    return (int64_t)(k * c) - (int64_t)v;
}

// How many coefficients are not 0 modulo p^N. The valuations are >= N for exp from
// ((p-1) N - 1) / ((p-1) c - 1) on, for log from N / c + 18 on, since v(k) < 18.
static uint32_t padici_series_terms(uint64_t p, uint32_t precision, uint32_t c, int log)
{
    const uint64_t q = (p >> 32 ? UINT64_C(1) << 32 : p) - 1, d = q * c - 1;
    uint64_t n = log ? precision / c + 18 : (q * precision - 1 + d - 1) / d;
    while (n > 1 && padici_series_valuation(p, c, log, n - 1) >= (int64_t)precision) n--;
    return n ? (uint32_t)n : 1;
}

static uint32_t padici_series_count(const padic_num_ring *r, int log)
{
    return padici_series_terms(r->p, r->precision, padici_series_c(r), log);
}

// The coefficients, `terms` residues, of exp, or of log(1 + x), up to W128. `t`: 5 residues.
static void padici_series_make(const padic_num_ring *r, int log, uint64_t *x, uint32_t terms,
                               uint64_t *t)
{
    const uint32_t words = r->words, c = padici_series_c(r);
    uint64_t *const a = t + words, *const b = t + 2 * words, unit;
    uint32_t k;
    padici_ring_set(r, x, 1);
    for (k = 1; k < terms; k++) { // k! without its p
        padici_small_valuation(r->p, k, &unit);
        padici_ring_set(r, a, unit);
        padici_ring_mul(r, x + k * words, x + (k - 1) * words, a);
    }
    padici_ring_inv(r, t, x + (terms - 1) * words, a);
    for (k = terms; k-- > 0;) { // t = 1 / k!
        uint64_t *const here = x + k * words;
        if (log && k)
            padici_ring_mul(r, a, t, here - words);
        else
            padici_ring_set(r, a, 0);
        padici_ring_up(r, here, log ? a : t, (uint64_t)padici_series_valuation(r->p, c, log, k));
        if (log && k % 2 == 0) padici_ring_neg(r, here, here);
        padici_small_valuation(r->p, k, &unit);
        padici_ring_set(r, a, unit);
        padici_ring_mul(r, b, t, a);
        padici_ring_copy(r, t, b);
    }
}

// x = a b + d s modulo base^words, b of `len` limbs, s below the base; x is none of the others. For
// one limb the divisions do not wait for each other, only the small carries do.
static void padici_limbs_muladd(const padic_num_ring *r, uint32_t words, uint64_t *x,
                                const uint64_t *a, const uint64_t *b, uint32_t len,
                                const uint64_t *d, uint64_t s)
{
    const uint64_t base = r->base, divisor = base << r->shift, reciprocal = r->reciprocal;
    const uint32_t shift = r->shift;
    uint64_t quotient = 0, rest, carry = 0;
    uint32_t k;
    if (len > 1) {
        padici_limbs_product(r, x, words, a, words, b, len, d, s);
        return;
    }
    for (k = 0; k < words; k++) {
        padici_wide sum = padici_wide_mul(a[k], *b);
        const uint64_t before = quotient + carry;
        if (s) sum = padici_wide_add(sum, padici_wide_mul(d[k], s));
        quotient = padici_divide(padici_wide_shl(sum, shift), divisor, reciprocal, &rest);
        rest = (rest >> shift) + before; // below 3 base
        carry = (uint64_t)(rest >= base) + (rest >= 2 * base);
        x[k] = rest - carry * base;
    }
}

// x = exp(X) or -log(1 - X) for X = base^start Y (start = 0: p^c Y), Y of `len` limbs. The sum over
// a common denominator, by Horner's rule from the end: S = Y S + p^w d, d = k d. What is left at
// term k is divisible by p^mu, mu the least valuation of a coefficient from there on; S is without
// it, and needs only N - mu digits. `t`: 5 residues.
static void padici_limbs_series(const padic_num_ring *r, int log, uint64_t *x, const uint64_t *y,
                                uint32_t len, uint32_t start, uint64_t *t)
{
    const uint32_t c = start ? start * r->limb_digits : padici_series_c(r);
    const uint64_t size = r->words * sizeof *t;
    uint64_t *s = t, *d = t + r->words, *next = t + 2 * r->words, *other, unit, word, factor;
    uint32_t k = padici_series_terms(r->p, r->precision, c, log), words, d_words = 1, first = 1;
    int64_t mu = r->precision, w, up;
    memset(t, 0, (size_t)(3 * size));
    d[0] = 1;
    while (k-- > 0) {
        w = log && !k ? 0 : padici_series_valuation(r->p, c, log, k);
        up = w < mu ? mu - w : 0;
        mu -= up;
        if (first) up = 0; // s is 0
        first = 0;
        words = (uint32_t)(r->precision - mu) / r->limb_digits + 1;
        if (words > r->words) words = r->words;
        padici_small_valuation(r->p, k, &unit);
        word = log && !k ? 0 : r->power[w - mu][0];
        if (log && k) { // up <= c + v(k), so that the factor is at most k
            factor = unit * (up > (int64_t)c && !start ? r->power[up - c][0] : 1);
            padici_limbs_muladd(r, words, next, s, &factor, 1, s, 0);
            other = s;
            s = next;
            next = other;
        }
        if (start) {
            padici_ring_up(r, s, s, (uint64_t)up);
            padici_limbs_muladd(r, words, next, s, y, len, d, word);
        } else {
            factor = y[0] * r->power[up > (int64_t)c ? c : up][0];
            padici_limbs_muladd(r, words, next, s, &factor, 1, d, word);
        }
        other = s;
        s = next;
        next = other;
        if (unit < 2) continue;
        if (d_words < r->words) d_words++;
        padici_limbs_muladd(r, d_words, next, d, &unit, 1, d, 0);
        if (!next[d_words - 1]) d_words--;
        memcpy(d, next, d_words * sizeof *d);
    }
    s[r->words - 1] = padici_limb_low(r, s[r->words - 1], r->top_digits);
    d[r->words - 1] = padici_limb_low(r, d[r->words - 1], r->top_digits);
    padici_ring_inv(r, next, d, t + 3 * r->words);
    padici_ring_mul(r, x, s, next);
}

// exp(a), or log(a) for a = 1 mod p^c, of a long number: a is split at limbs 1, 4, 16, ..., so that
// the many terms of the first part have a factor of one limb. `t`: 10 residues.
static void padici_limbs_exp_log(const padic_num_ring *r, int log, uint64_t *x, const uint64_t *a,
                                 uint64_t *t)
{
    uint64_t *const rest = t, *const part = t + r->words, *const y = t + 2 * r->words;
    uint64_t *const more = t + 3 * r->words;
    uint32_t start, len = 1;
    padici_ring_copy(r, rest, a);
    padici_ring_set(r, x, !log);
    for (start = 0; start < r->words; start += len, len = 3 * start) {
        if (len > r->words - start) len = r->words - start;
        if (log) { // 1 - rest begins at limb `start`; the factor 1 - part takes `len` limbs of it
            padici_ring_set(r, y, 1);
            padici_ring_sub(r, part, y, rest);
            memset(part + start + len, 0, (r->words - start - len) * sizeof *part);
        }
        memcpy(y, (log ? part : rest) + start, len * sizeof *y);
        if (!start) y[0] /= r->power[padici_series_c(r)][0];
        padici_limbs_series(r, log, more, y, len, start, more + r->words);
        if (log) {
            padici_ring_sub(r, x, x, more);
            padici_ring_set(r, y, 1);
            padici_ring_sub(r, part, y, part);
            padici_ring_inv(r, y, part, more);
            padici_ring_mul(r, more, rest, y);
            padici_ring_copy(r, rest, more);
        } else {
            padici_ring_mul(r, y, x, more);
            padici_ring_copy(r, x, y);
        }
    }
}

// What a loop hands to its function of one element, as call->options.
typedef struct padici_series {
    const uint64_t *coefficients[2]; // of exp, log; NULL for long numbers
    uint32_t terms[2];
    uint32_t needs_exp;
    const struct padici_root *root;
    void (*loop)(padic_num_call *call);
} padici_series;

// x = c_0 + c_1 y + ...; `t`: 1 residue.
static void padici_ring_horner(const padic_num_ring *r, uint64_t *x, const uint64_t *y,
                               const uint64_t *c, uint32_t terms, uint64_t *t)
{
    padici_ring_copy(r, x, c + --terms * r->words);
    while (terms-- > 0) {
        padici_ring_mul(r, t, x, y);
        padici_ring_add(r, x, t, c + terms * r->words);
    }
}

// x = exp(a), v(a) >= c; `t`: 10 residues.
static void padici_ring_exp(const padic_num_ring *r, const padici_series *s, uint64_t *x,
                            const uint64_t *a, uint64_t *t)
{
    if (r->form == PADIC_NUM_RX) {
        padici_limbs_exp_log(r, 0, x, a, t);
    } else {
        padici_ring_down(r, t, a, padici_series_c(r));
        padici_ring_horner(r, x, t, s->coefficients[0], s->terms[0], t + r->words);
    }
}

// x = log(a), a = 1 mod p^c; `t`: 10 residues.
static void padici_ring_log(const padic_num_ring *r, const padici_series *s, uint64_t *x,
                            const uint64_t *a, uint64_t *t)
{
    if (r->form == PADIC_NUM_RX) {
        padici_limbs_exp_log(r, 1, x, a, t);
    } else {
        padici_ring_set(r, t, 1);
        padici_ring_sub(r, t, a, t);
        padici_ring_down(r, t, t, padici_series_c(r));
        padici_ring_horner(r, x, t, s->coefficients[1], s->terms[1], t + r->words);
    }
}

// x becomes O(p^v) that says it is all that is known.
static void padici_cell_unknown(const padic_num_ring *r, padici_cell *x, int32_t v)
{
    padici_ring_set(r, x->u, 0);
    x->v = v;
    x->n = 0;
    x->bits = PADIC_NUM_PRECLOSS;
}

// x = the exact 0, or the integer s.
static void padici_cell_integer(const padic_num_call *call, padici_cell *x, uint64_t s)
{
    padici_ring_set(call->ring, x->u, s);
    x->v = !s && call->model != PADIC_NUM_RING ? PADIC_NUM_ZERO : 0;
    x->n = call->ring->precision;
}

// The unit of a in x->u and its valuation in x->v, for RING too, where only x->n of the digits are
// known. 0 and O(p^v) have x->n = 0.
static void padici_cell_unit(const padic_num_call *call, padici_cell *x, const padici_cell *a)
{
    const padic_num_ring *r = call->ring;
    x->v = a->v;
    x->n = call->model == PADIC_NUM_BALL ? a->n : r->precision;
    if (call->model == PADIC_NUM_RING) {
        const uint32_t v = padici_ring_valuation(r, a->u);
        x->v = v < r->precision ? (int32_t)v : PADIC_NUM_ZERO;
        x->n -= v;
        padici_ring_down(r, x->u, a->u, v);
    } else {
        padici_ring_copy(r, x->u, a->u);
    }
    if (x->v == PADIC_NUM_ZERO) x->n = 0;
}

static void padici_exp_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    int64_t v = a->v, known;
    (void)b;
    (void)c;
    if (padici_cell_nan(x, a, NULL)) return;
    padici_cell_integer(call, x, 1);
    if (call->model == PADIC_NUM_RING)
        v = padici_ring_is_zero(r, a->u) ? PADIC_NUM_ZERO : (int64_t)padici_ring_valuation(r, a->u);
    if (v < (int64_t)padici_series_c(r)) {
        x->bits = PADIC_NUM_OUTSIDE;
        return;
    }
    if (!padici_ring_is_zero(r, a->u)) {
        padici_ring_up(r, temp, a->u, call->model == PADIC_NUM_RING ? 0 : (uint64_t)v);
        padici_ring_exp(r, (const padici_series *)call->options, x->u, temp, temp + r->words);
    }
    known = v + a->n;
    if (call->model == PADIC_NUM_BALL && known < (int64_t)r->precision) {
        x->n = (uint32_t)known;
        padici_ring_low(r, x->u, x->u, x->n);
    }
}

// k: PADIC_NUM_IWASAWA or 0.
static void padici_log_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    uint64_t *const t = temp + r->words, digit;
    uint32_t known;
    int one;
    (void)b;
    (void)c;
    if (padici_cell_nan(x, a, NULL)) return;
    padici_cell_unit(call, x, a);
    known = x->n;
    digit = padici_ring_digit(r, x->u);
    if (!known || (!call->k && (x->v || digit != 1))) {
        x->bits = PADIC_NUM_OUTSIDE;
        return;
    }
    if (r->p == 2 && call->model == PADIC_NUM_BALL && known == 1) {
        padici_cell_unknown(r, x, 2); // logarithms of odd numbers are all of 4 Z_2
        return;
    }
    x->v = 0;
    padici_ring_set(r, t, 1);
    one = padici_ring_same(r, t, x->u);
    padici_ring_copy(r, temp, x->u);
    if (r->p == 2 && x->u[0] & 2) padici_ring_neg(r, temp, temp);
    if (digit != 1) padici_ring_pow(r, temp, x->u, r->p - 1, t);
    padici_ring_log(r, (const padici_series *)call->options, x->u, temp, t);
    if (digit != 1) { // / (p - 1)
        padici_ring_set(r, t, r->p - 1);
        padici_ring_inv(r, temp, t, t + r->words);
        padici_ring_mul(r, t, x->u, temp);
        padici_ring_copy(r, x->u, t);
    }
    if (call->model == PADIC_NUM_RING && known < r->precision) {
        padici_ring_low(r, x->u, x->u, known);
        x->bits = PADIC_NUM_PRECLOSS;
    } else if (call->model == PADIC_NUM_FLOAT && one) {
        padici_cell_integer(call, x, 0);
    } else {
        padici_cell_normal(call, x);
    }
}

static void padici_pow_padic_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                                 const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    padici_cell log, product;
    if (padici_cell_nan(x, a, b)) return;
    log = product = *x;
    log.u = temp;
    product.u = temp + r->words;
    temp += 2 * r->words;
    if (r->p == 2 && (call->model == PADIC_NUM_BALL ? a->n == 1 || a->u[0] & 2
                                                    : r->precision > 1 && a->u[0] & 2)) {
        x->bits = PADIC_NUM_OUTSIDE;
        return;
    }
    padici_log_one(call, &log, a, b, c, temp);
    if (log.bits & PADIC_NUM_HARD) {
        x->bits = log.bits;
        return;
    }
    padici_cell_mul(call, &product, &log, b);
    product.bits = 0;
    padici_exp_one(call, x, &product, b, c, temp);
}

static void padici_teichmueller_one(const padic_num_call *call, padici_cell *x,
                                    const padici_cell *a, const padici_cell *b,
                                    const padici_cell *c, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    (void)b;
    (void)c;
    if (padici_cell_nan(x, a, NULL)) return;
    padici_cell_integer(call, x, 0);
    if (a->v > 0) return; // ZERO too
    if (a->v < 0) {
        x->bits = PADIC_NUM_OUTSIDE;
    } else if (call->model == PADIC_NUM_BALL && !a->n) {
        padici_cell_unknown(r, x, 0);
    } else if (call->model == PADIC_NUM_RING || padici_ring_digit(r, a->u)) {
        x->v = 0;
        x->n = r->precision;
        padici_ring_teichmueller(r, x->u, r->p == 2 ? a->u[0] & 3 : padici_ring_digit(r, a->u),
                                 temp);
        if (r->p == 2 && call->model == PADIC_NUM_BALL && a->n == 1 && r->precision > 1) {
            x->n = 1;
            x->bits = PADIC_NUM_PRECLOSS;
        }
    }
}

// n-th roots modulo p. A root of u is put together from the Sylow subgroups of the residues: where
// a prime q divides n and p - 1, by the discrete logarithm to a generator, digit by digit; in the
// rest, raising to n has an inverse. If there are more roots than p / roots, they are so dense that
// the smallest is simply searched.
typedef struct padici_sylow {
    uint64_t q, order, share;  // order = q^e divides p - 1 exactly, share = gcd(n, order)
    uint64_t generator, unity; // of the subgroup; of order q
    uint64_t project;          // u^project is in the subgroup, u / u^project has no part in it
    uint64_t inverse;          // (n / share)^-1 mod q^e
} padici_sylow;

typedef struct padici_root {
    uint64_t n, m, p, inverse, one, square; // n = p^e m; residues modulo p are kept times 2^64
    uint64_t count, rest, zeta; // roots; exponent of 1 / root outside the subgroups; root of unity
    uint32_t e, sylows, search;
    uint32_t alone; // 1: of all roots only root number `turn`
    uint64_t turn;
    padici_sylow sylow[15];
} padici_root;

// a b 2^-64 mod p (Montgomery).
PADICI_INLINE uint64_t padici_mod_mul(const padici_root *s, uint64_t a, uint64_t b)
{
    const padici_wide x = padici_wide_mul(a, b);
    const uint64_t h = padici_mulhi64(x.low * s->inverse, s->p);
    return x.high - h + (x.high < h ? s->p : 0);
}

static uint64_t padici_mod_pow(const padici_root *s, uint64_t a, uint64_t k)
{
    uint64_t x = k & 1 ? a : s->one;
    while (k >>= 1) {
        a = padici_mod_mul(s, a, a);
        if (k & 1) x = padici_mod_mul(s, x, a);
    }
    return x;
}

// By halves and differences (Stein 1967), after one remainder.
static uint64_t padici_num_gcd(uint64_t a, uint64_t b)
{
    uint32_t shift;
    if (a < b) {
        const uint64_t other = a;
        a = b;
        b = other;
    }
    if (!b || !(a %= b)) return b ? b : a;
    shift = padici_ctz64(a | b);
    b >>= padici_ctz64(b);
    for (a >>= padici_ctz64(a); a != b;) { // no branch: it would be wrong half of the time
        const uint64_t d = a - b, less = 0 - (uint64_t)(a < b);
        b += d & less;
        a = ((d ^ less) - less) >> padici_ctz64(d);
    }
    return b << shift;
}

static void padici_sylow_init(padici_root *s, padici_sylow *y, uint64_t q)
{
    const uint64_t all = s->p - 1;
    uint64_t h = padici_mod_mul(s, 2, s->square);
    y->q = q;
    y->order = y->share = 1;
    while (all / y->order % q == 0) y->order *= q;
    y->share = padici_num_gcd(s->n, y->order);
    while (padici_mod_pow(s, h, all / q) == s->one) h = h + 1 < s->p ? h + 1 : 1;
    y->generator = padici_mod_pow(s, h, all / y->order);
    y->unity = padici_mod_pow(s, y->generator, y->order / q);
    y->project = all / y->order * padici_inverse_mod(all / y->order % y->order, y->order);
    y->inverse = padici_inverse_mod(s->n / y->share % y->order, y->order);
    s->zeta = padici_mod_mul(s, s->zeta, padici_mod_pow(s, y->generator, y->order / y->share));
}

// `all` roots are wanted: then zeta is needed.
static void padici_root_init(padici_root *s, const padic_num_ring *r, uint64_t n, int all_roots)
{
    const uint64_t all = r->p - 1;
    uint64_t left, q, order = 1, rest;
    memset(s, 0, sizeof *s);
    s->n = s->m = n;
    s->p = r->p;
    for (; s->m % r->p == 0; s->m /= r->p) s->e++;
    s->count = padici_num_gcd(n, r->p == 2 ? 2 : all);
    if (r->p == 2) return;
    s->inverse = padici_inverse64(r->p);
    s->one = s->zeta = (UINT64_MAX - r->p + 1) % r->p;
    s->square = padici_mulmod(s->one, s->one, r->p);
    s->search = s->count > all / s->count;
    if (s->search && !all_roots) return;
    for (left = s->count, q = 2; left > 1; q++) {
        if (q > left / q) q = left;
        if (left % q) continue;
        while (left % q == 0) left /= q;
        padici_sylow_init(s, &s->sylow[s->sylows], q);
        order *= s->sylow[s->sylows++].order;
    }
    rest = all / order;
    s->rest = padici_mulmod(order * padici_inverse_mod(order % rest, rest),
                            padici_inverse_mod(n % rest, rest), all);
}

// The logarithm of x to the generator of the subgroup.
static uint64_t padici_sylow_log(const padici_root *s, const padici_sylow *y, uint64_t x)
{
    uint64_t log = 0, step = 1, order, t, power;
    for (order = y->order / y->q; order; order /= y->q) { // x generator^-log is of order `order` q
        t = padici_mod_mul(s, x, padici_mod_pow(s, y->generator, (y->order - log) % y->order));
        t = padici_mod_pow(s, t, order);
        for (power = s->one; power != t; power = padici_mod_mul(s, power, y->unity)) log += step;
        step *= y->q;
    }
    return log;
}

// 1 / the smallest n-th root of u modulo p, 0 if there is none. u < p, p odd.
static uint64_t padici_root_mod(const padici_root *s, uint64_t u)
{
    const uint64_t all = s->p - 1;
    uint64_t z, x, i, back, best, inverse;
    if (!u) return 0;
    u = padici_mod_mul(s, u, s->square);
    if (s->search) {
        if (padici_mod_pow(s, u, all / s->count) != s->one) return 0;
        for (i = 1, x = s->one; padici_mod_pow(s, x, s->n % all) != u; i++)
            x = padici_mod_mul(s, i + 1, s->square);
        return padici_inverse_mod(i, s->p);
    }
    z = padici_mod_pow(s, u, all - s->rest);
    for (i = 0; i < s->sylows; i++) {
        const padici_sylow *y = &s->sylow[i];
        if (y->order == y->share) continue;
        x = padici_sylow_log(s, y, padici_mod_pow(s, u, y->project));
        if (x % y->share) return 0;
        x = padici_mulmod(x / y->share, y->inverse, y->order);
        z = padici_mod_mul(s, z, padici_mod_pow(s, y->generator, y->order - x));
    }
    x = padici_mod_mul(s, u, s->n == 2 ? z : padici_mod_pow(s, z, (s->n - 1) % all));
    if (padici_mod_mul(s, padici_mod_pow(s, x, (s->n - 1) % all), x) != u) return 0;
    best = padici_mod_mul(s, x, 1);
    inverse = z;
    back = s->count > 1 ? padici_mod_pow(s, s->zeta, s->count - 1) : s->one;
    for (i = 1; i < s->count; i++) {
        x = padici_mod_mul(s, x, s->zeta);
        z = padici_mod_mul(s, z, back);
        u = padici_mod_mul(s, x, 1);
        if (u < best) {
            best = u;
            inverse = z;
        }
    }
    return padici_mod_mul(s, inverse, 1);
}

// The root of u modulo p^*known where Newton begins, as its inverse; 0: none.
static uint64_t padici_seed_root(const padic_num_ring *r, const padici_root *s, const uint64_t *u,
                                 uint32_t *known)
{
    const padici_tables *t = padici_tables_of(r);
    *known = r->p == 2 && s->n % 2 == 0 ? 2 : 1;
    if (s->n == 2 && t && t->root) {
        *known = t->root_digits;
        return ((const uint32_t *)padici_table(t, t->root))[padici_table_index(r, t, u)];
    }
    return r->p == 2 ? 1 : padici_root_mod(s, padici_ring_digit(r, u));
}

static void padici_ring_pow_few(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                uint64_t k, uint64_t *t)
{
    if (k == 1)
        padici_ring_copy(r, x, a);
    else if (k == 2)
        padici_ring_mul(r, x, a, a);
    else
        padici_ring_pow(r, x, a, k, t);
}

// a = a b / n to `digits` digits, p^known divides a; long numbers are shortened by what is 0.
// `inverse` is 1 / n, NULL for p = n = 2. `t`: 2 residues.
static void padici_root_step(const padic_num_ring *r, padic_num_ring *low, uint64_t *a,
                             const uint64_t *b, const uint64_t *inverse, uint32_t known,
                             uint32_t digits, uint64_t *t)
{
    const padic_num_ring *now = padici_ring_short(r, low, digits);
    const uint32_t zeros = r->form == PADIC_NUM_RX ? known : 0;
    padici_ring_down(now, a, a, zeros + !inverse);
    now = padici_ring_short(r, low, digits - zeros);
    padici_ring_mul(now, t, a, b);
    if (inverse) {
        padici_ring_mul(now, t + r->words, t, inverse);
        t += r->words;
    }
    padici_ring_copy(now, a, t);
    padici_ring_up(padici_ring_short(r, low, digits), a, a, zeros);
}

// x = u^(1/n) where p does not divide n, or p = n = 2, from z = 1 / root modulo p^known. Newton:
// z += z (1 - u z^n) / n; from half of the digits x = y + w (u - y^n) / n, w = z^(n-1), y = u w.
// Of p = n = 2 the top digit is wrong. `t`: 7 residues.
static void padici_ring_root(const padic_num_ring *r, uint64_t n, uint64_t *x, const uint64_t *u,
                             uint64_t seed, uint32_t known, uint64_t *t)
{
    const uint32_t two = r->p == 2 && n == 2;
    uint64_t *const z = t, *inverse = t + r->words, *const a = t + 2 * r->words;
    uint64_t *const w = t + 3 * r->words, *const b = t + 4 * r->words;
    const padic_num_ring *now;
    padic_num_ring low;
    uint32_t next;
    low.magic = 0;
    padici_ring_set(r, z, seed);
    padici_ring_set(r, a, n);
    if (!two) padici_ring_inv(r, inverse, a, b);
    if (two) inverse = NULL;
    for (; 2 * known < r->precision; known = next - two) {
        next = 2 * known;
        now = padici_ring_short(r, &low, next);
        padici_ring_pow_few(now, a, z, n, b);
        padici_ring_mul(now, b, a, u);
        padici_ring_set(now, a, 1);
        padici_ring_sub(now, a, a, b);
        padici_root_step(r, &low, a, z, inverse, known, next, b);
        padici_ring_add(padici_ring_short(r, &low, next), z, z, a);
    }
    padici_ring_set(r, w, 1);
    padici_ring_set(r, x, 0);
    now = padici_ring_short(r, &low, known);
    if (n > 1) padici_ring_pow_few(now, w, z, n - 1, b);
    padici_ring_mul(now, x, w, u);
    if (known >= r->precision) return;
    padici_ring_pow_few(r, a, x, n, b);
    padici_ring_sub(r, a, u, a);
    padici_root_step(r, &low, a, w, inverse, known, r->precision, b);
    padici_ring_add(r, x, x, a);
}

// The n-th root of a, its unit in x->u, x->n right digits of it; x->bits if there is none. 0 and
// what is not known is ready: then the answer is 0. `t`: 16 residues.
static int padici_root_unit(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                            uint64_t *t)
{
    const padic_num_ring *r = call->ring;
    const padici_series *series = (const padici_series *)call->options;
    const padici_root *s = series->root;
    uint64_t *const u = t, *const y = t + r->words, seed;
    const int32_t n = s->n > INT32_MAX ? INT32_MAX : (int32_t)s->n;
    const uint32_t over = s->e + (r->p == 2); // u = w(u) mod p^(over+1) if e > 0 (p = 2: n even)
    uint32_t known, digits;
    if (padici_cell_nan(x, a, NULL)) return 0;
    padici_cell_unit(call, x, a);
    if (x->v == PADIC_NUM_ZERO) {
        padici_cell_integer(call, x, 0);
        return 0;
    }
    digits = x->n;
    if (!digits) {
        padici_cell_unknown(r, x, x->v > 0 ? (x->v - 1) / n + 1 : x->v / n);
        return 0;
    }
    if (x->v % n || (s->n > INT32_MAX && x->v)) {
        x->bits = PADIC_NUM_NOPOWER;
        return 0;
    }
    x->v /= n;
    padici_ring_copy(r, u, x->u);
    t += 2 * r->words;
    if (s->e && r->p == 2) { // 1 modulo 2^(e+2), as far as is known
        padici_ring_set(r, y, 1);
        padici_ring_sub(r, y, u, y);
        padici_ring_low(r, y, y, over + 1);
        if (!padici_ring_is_zero(r, y)) x->bits = PADIC_NUM_NOPOWER;
    }
    seed = x->bits ? 0 : padici_seed_root(r, s, u, &known);
    if (!seed) {
        x->bits = PADIC_NUM_NOPOWER;
        return 0;
    }
    if (!s->e || s->n == 2) {
        padici_ring_root(r, s->n, x->u, u, seed, known, t);
    } else { // w(root) exp(log(u / w(u)) / n)
        const uint64_t digit = padici_ring_digit(r, u);
        padici_ring_teichmueller(r, y, padici_inverse_mod(digit, r->p), t);
        padici_ring_mul(r, t, u, y);
        padici_ring_set(r, y, 1);
        padici_ring_sub(r, y, t, y);
        padici_ring_low(r, y, y, over + 1);
        padici_ring_low(r, y, y, digits);
        if (!padici_ring_is_zero(r, y)) {
            x->bits = PADIC_NUM_NOPOWER;
            return 0;
        }
        padici_ring_set(r, x->u, 1);
        if (digits > over) {
            padici_ring_log(r, series, y, t, t + r->words);
            padici_ring_down(r, y, y, s->e);
            padici_ring_set(r, t, s->m);
            padici_ring_inv(r, t + r->words, t, t + 2 * r->words);
            padici_ring_mul(r, t, y, t + r->words);
            padici_ring_exp(r, series, x->u, t, t + r->words);
        }
        padici_ring_teichmueller(r, y, padici_inverse_mod(seed, r->p), t);
        padici_ring_mul(r, t, x->u, y);
        padici_ring_copy(r, x->u, t);
    }
    if (call->model == PADIC_NUM_BALL && s->e && digits <= over) {
        padici_cell_unknown(r, x, x->v);
        return 0;
    }
    x->n = digits > s->e ? digits - s->e : 1;
    return 1;
}

// The element with the unit u, of which x->n digits are right, and the valuation x->v.
static void padici_root_finish(const padic_num_call *call, padici_cell *x, const uint64_t *u)
{
    const padic_num_ring *r = call->ring;
    padici_ring_low(r, x->u, u, x->n);
    if (call->model != PADIC_NUM_RING) return;
    padici_ring_up(r, x->u, x->u, (uint64_t)x->v);
    if ((uint32_t)x->v + x->n < r->precision) x->bits |= PADIC_NUM_PRECLOSS;
}

static void padici_sqrt_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                            const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    (void)b;
    (void)c;
    if (padici_root_unit(call, x, a, temp))
        padici_root_finish(call, x, x->u);
}

// Loops. Coefficients are in the tables, or made for each piece of a call, in a frame of their own.

static PADICI_NOINLINE void padici_series_with(padic_num_call *call, padici_series *s, int log)
{
    uint64_t local[2 * PADICI_SERIES_TERMS], temp[16];
    const padic_num_ring *r = call->ring;
    const padici_tables *t = padici_tables_of(r);
    if (r->form != PADIC_NUM_RX) {
        s->terms[log] = padici_series_count(r, log);
        s->coefficients[log] = t ? padici_table(t, t->series[log]) : local;
        if (!t) padici_series_make(r, log, local, s->terms[log], temp);
    }
    if (log && s->needs_exp)
        padici_series_with(call, s, 0);
    else
        (*s->loop)(call);
    s->coefficients[log] = NULL;
}

// Runs a loop with the coefficients of exp, log or both.
static void padici_series_run(padic_num_call *call, const padici_root *root, int exp, int log,
                              void (*loop)(padic_num_call *call))
{
    const void *options = call->options;
    padici_series s;
    memset(&s, 0, sizeof s);
    s.root = root;
    s.needs_exp = (uint32_t)exp;
    s.loop = loop;
    call->options = &s;
    if (exp || log)
        padici_series_with(call, &s, log);
    else
        (*loop)(call);
    call->options = options;
}

// Elements of one word at a time that the loops below may do: RING, or FLOAT with i32 valuations.
static int padici_series_fast(const padic_num_call *call)
{
    return (padici_num_fast(call, PADIC_NUM_RING) || padici_num_fast(call, PADIC_NUM_FLOAT)) &&
           (call->ring->p > 2 || call->ring->form == PADIC_NUM_B2);
}

// p divides x, p odd: *y = x / p.
PADICI_INLINE int padici_word_divides(const padic_num_ring *r, uint64_t x, uint64_t *y)
{
    *y = x * r->inverse;
    return *y <= r->ladder_limit[0];
}

// x / 2 modulo P, P odd.
PADICI_INLINE uint64_t padici_word_half(const padic_num_ring *r, uint64_t x)
{
    return (x >> 1) + (x & 1 ? (r->base >> 1) + 1 : 0);
}

// What the loops of words do, eight elements side by side, so that no product waits for the one
// before it.
enum { PADICI_EXP, PADICI_LOG, PADICI_SQRT, PADICI_TEICHMUELLER };
#define PADICI_SERIES_LANES 8u

// Element i: *u is y of x = p^c y for exp, of x = 1 + p^c y for log, the unit for the square root
// and *z its seed, or a residue (its table entry) for Teichmueller; *v the valuation of a root.
// 0: a case for the function of one element.
PADICI_INLINE int padici_lane_load(const padic_num_planes *a, const padic_num_ring *r,
                                   padic_num_form form, int what, uint64_t i,
                                   const padici_root *root, const uint64_t *table, uint64_t *u,
                                   uint64_t *z, int32_t *v, uint32_t *known)
{
    const int two = form == PADIC_NUM_B2;
    const int32_t c = two ? 2 : 1;
    uint64_t other, at = a->scalar ? 0 : i;
    int here;
    *u = padici_word_at(form, a->unit, at, r->unit_size == 4);
    *v = a->val ? ((const int32_t *)a->val)[at] : 0;
    here = padici_val_finite(*v);
    if (what == PADICI_TEICHMUELLER) {
        *u = two      ? (*u & 1) * (*u & 2 ? r->base - 1 : 1)
             : !table ? *u % r->p
                      : table[padici_table_mod(*u, r->p, padici_tables_of(r)->p_reciprocal)];
        return here && !*v;
    }
    if (what == PADICI_SQRT) {
        here &= !(*v & 1);
        here &= two ? (*u & 7) == 1 : a->val || !padici_word_divides(r, *u, &other);
        *z = here ? padici_seed_root(r, root, u, known) : 0;
        *v /= 2;
        return *z != 0;
    }
    if (what == PADICI_LOG) {
        here &= *v == 0;
        here &= two ? (int)(*u & 1) : padici_word_divides(r, *u - 1, &other) & (*u != 0);
        *u = two ? ((*u & 2 ? 0 - *u : *u) & (r->base - 1)) >> 2 : other;
    } else if (a->val) {
        here &= *v >= c;
        if (here && *v > c)
            *u = *v - c >= (int32_t)r->precision ? 0
                 : two                           ? *u << (*v - c)
                                                 : padici_mul1(r, form, *u, r->power[*v - c][0]);
    } else {
        here &= two ? !(*u & 3) : padici_word_divides(r, *u, &other);
        *u = two ? *u >> 2 : other;
    }
    *v = 0;
    return here;
}

PADICI_INLINE void padici_lanes_series(const padic_num_ring *r, padic_num_form form,
                                       const uint64_t *c, uint32_t terms, uint64_t *x,
                                       const uint64_t *y)
{
    uint32_t j, k;
    for (j = 0; j < PADICI_SERIES_LANES; j++) x[j] = c[terms - 1];
    for (k = terms - 1; k-- > 0;)
        for (j = 0; j < PADICI_SERIES_LANES; j++)
            x[j] = form == PADIC_NUM_B2
                       ? x[j] * y[j] + c[k]
                       : padici_add1(r, form, padici_mul1(r, form, x[j], y[j]), c[k]);
    for (j = 0; j < PADICI_SERIES_LANES && form == PADIC_NUM_B2; j++) x[j] &= r->base - 1;
}

// Square roots from z = 1 / sqrt(u), p odd: z += z (1 - u z^2) / 2, and from half of the digits the
// root itself, x = u z, x + z (u - x^2) / 2. p = 2: e digits become 2 e - 1; modulo 2^64.
PADICI_INLINE void padici_lanes_sqrt(const padic_num_ring *r, padic_num_form form, uint64_t *x,
                                     const uint64_t *u, uint64_t *z, uint32_t known)
{
    const int two = form == PADIC_NUM_B2;
    uint64_t d;
    uint32_t j;
    for (; 2 * known < r->precision; known = 2 * known - (uint32_t)two)
        for (j = 0; j < PADICI_SERIES_LANES; j++) {
            if (two) {
                z[j] += z[j] * ((1 - u[j] * z[j] * z[j]) >> 1);
                continue;
            }
            d = padici_mul1(r, form, padici_mul1(r, form, z[j], z[j]), u[j]);
            d = padici_word_half(r, padici_sub1(r, form, 1, d));
            z[j] = padici_add1(r, form, z[j], padici_mul1(r, form, z[j], d));
        }
    for (j = 0; j < PADICI_SERIES_LANES; j++) {
        if (two) {
            x[j] = u[j] * z[j];
            x[j] = (x[j] + z[j] * ((u[j] - x[j] * x[j]) >> 1)) & (r->base - 1) >> 1;
            continue;
        }
        x[j] = padici_mul1(r, form, u[j], z[j]);
        d = padici_sub1(r, form, u[j], padici_mul1(r, form, x[j], x[j]));
        x[j] = padici_add1(r, form, x[j], padici_mul1(r, form, z[j], padici_word_half(r, d)));
    }
}

// Teichmueller residues of residues x, as in padici_ring_teichmueller(). 1 / (p - 1) modulo P is
// -(1 + p + ... + p^(N-1)).
PADICI_INLINE void padici_lanes_teichmueller(const padic_num_ring *r, padic_num_form form,
                                             uint64_t *x)
{
    const uint64_t inverse = r->base - (r->base - 1) / (r->p - 1);
    uint64_t y[PADICI_SERIES_LANES];
    uint32_t known, j, bit;
    for (known = 1; known < r->precision; known = 2 * known + 1) {
        memcpy(y, x, sizeof y);
        for (bit = 63u - padici_clz64(r->p); bit-- > 0;) // y = x^p
            for (j = 0; j < PADICI_SERIES_LANES; j++) {
                y[j] = padici_mul1(r, form, y[j], y[j]);
                if (r->p >> bit & 1) y[j] = padici_mul1(r, form, y[j], x[j]);
            }
        for (j = 0; j < PADICI_SERIES_LANES; j++) {
            x[j] = padici_sub1(r, form, padici_mul1(r, form, x[j], r->p), y[j]);
            x[j] = padici_mul1(r, form, x[j], inverse);
        }
    }
}

PADICI_INLINE void padici_series_lanes(padic_num_call *call, padic_num_form form, int what,
                                       padici_num_one one)
{
    const padic_num_ring *r = call->ring;
    const padici_series *s = (const padici_series *)call->options;
    const padici_root *const root = what == PADICI_SQRT ? s->root : NULL;
    const padici_tables *t = padici_tables_of(r);
    const uint64_t *const table = t ? padici_table(t, t->teichmueller) : NULL;
    const padic_num_planes a = call->a, out = call->out;
    uint8_t *const status = call->status;
    const uint32_t lost = what == PADICI_SQRT && form == PADIC_NUM_B2 && !call->a.val
                              ? PADIC_NUM_PRECLOSS : 0;
    uint64_t u[PADICI_SERIES_LANES], z[PADICI_SERIES_LANES], x[PADICI_SERIES_LANES], i;
    int32_t v[PADICI_SERIES_LANES];
    uint32_t j, n, here, known = 2; // set where there is a seed
    for (i = 0; i < call->count; i += n) {
        n = call->count - i < PADICI_SERIES_LANES ? (uint32_t)(call->count - i)
                                                  : PADICI_SERIES_LANES;
        for (j = n; j < PADICI_SERIES_LANES; j++) u[j] = z[j] = 0;
        for (j = here = 0; j < n; j++)
            here |= (uint32_t)padici_lane_load(&a, r, form, what, i + j, root, table, &u[j],
                                               &z[j], &v[j], &known) << j;
        if (what == PADICI_SQRT) {
            padici_lanes_sqrt(r, form, x, u, z, known);
        } else if (what == PADICI_TEICHMUELLER) {
            memcpy(x, u, sizeof x);
            if (form != PADIC_NUM_B2 && !table) padici_lanes_teichmueller(r, form, x);
        } else {
            padici_lanes_series(r, form, s->coefficients[what], s->terms[what], x, u);
        }
        for (j = 0; j < n; j++) {
            if (what == PADICI_LOG && a.val) {
                if (x[j])
                    v[j] = (int32_t)padici_split1(r, x[j], &x[j]);
                else if (form == PADIC_NUM_B2) // of 1 or -1, whose bits differ
                    here &= ~(1u << j);
                else
                    v[j] = PADIC_NUM_ZERO;
            }
            if (PADICI_UNLIKELY(!(here >> j & 1))) {
                padici_num_span(call, i + j, i + j + 1, one);
                continue;
            }
            padici_word_to(form, out.unit, i + j, r->unit_size == 4, x[j]);
            if (out.val) ((int32_t *)out.val)[i + j] = v[j];
            if (status) status[i + j] = (uint8_t)lost;
            call->bits |= lost;
        }
    }
}

// padici_NAME_words() with the form of the ring as a constant, padici_NAME_each() for all others.
#define PADICI_SERIES_LOOPS(name, what) \
    static void padici_##name##_each(padic_num_call *call) \
    { \
        padici_num_each(call, padici_##name##_one); \
    } \
    static void padici_##name##_words(padic_num_call *call) \
    { \
        if (call->ring->form == PADIC_NUM_W32) \
            padici_series_lanes(call, PADIC_NUM_W32, what, padici_##name##_one); \
        else if (call->ring->form == PADIC_NUM_W49) \
            padici_series_lanes(call, PADIC_NUM_W49, what, padici_##name##_one); \
        else if (call->ring->form == PADIC_NUM_W64) \
            padici_series_lanes(call, PADIC_NUM_W64, what, padici_##name##_one); \
        else \
            padici_series_lanes(call, PADIC_NUM_B2, what, padici_##name##_one); \
    }
PADICI_SERIES_LOOPS(exp, PADICI_EXP)
PADICI_SERIES_LOOPS(log, PADICI_LOG)
PADICI_SERIES_LOOPS(sqrt, PADICI_SQRT)
PADICI_SERIES_LOOPS(teichmueller, PADICI_TEICHMUELLER)

static void padici_exp_loop(padic_num_call *call)
{
    padici_series_run(call, NULL, 1, 0,
                      padici_series_fast(call) ? padici_exp_words : padici_exp_each);
}

static void padici_log_loop(padic_num_call *call)
{
    padici_series_run(call, NULL, 0, 1,
                      padici_series_fast(call) ? padici_log_words : padici_log_each);
}

static void padici_pow_padic_each(padic_num_call *call)
{
    padici_num_each(call, padici_pow_padic_one);
}

static void padici_pow_padic_loop(padic_num_call *call)
{
    padici_series_run(call, NULL, 1, 1, padici_pow_padic_each);
}

static void padici_teichmueller_loop(padic_num_call *call)
{
    padici_series_run(call, NULL, 0, 0,
                      padici_series_fast(call) ? padici_teichmueller_words
                                               : padici_teichmueller_each);
}

static void padici_root_loop(padic_num_call *call)
{
    const padici_root *root = (const padici_root *)call->options;
    const int words = root->n == 2 && padici_series_fast(call) && call->ring->precision > 2;
    const int series = root->e && root->n != 2;
    padici_series_run(call, root, series, series, words ? padici_sqrt_words : padici_sqrt_each);
}

// The root of unity by which one root of a number follows from the one before.
static void padici_root_unity(const padic_num_ring *r, const padici_root *root, uint64_t *unity,
                              uint64_t *temp)
{
    padici_ring_teichmueller(r, unity, r->p == 2 ? 3 : padici_mod_mul(root, root->zeta, 1), temp);
}

// All roots: j of element i at j stride + i; or one of them at i.
static void padici_roots_each(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const padici_root *root = ((const padici_series *)call->options)->root;
    const uint64_t roots = root->alone ? 1 : root->count;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i, j;
    uint64_t *const words = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    uint64_t *const unity = words + 2 * r->words, *const y = words + 3 * r->words;
    uint64_t *const temp = words + 4 * r->words;
    padici_cell a, x, copy;
    a.u = words;
    x.u = words + r->words;
    padici_root_unity(r, root, unity, temp);
    if (root->alone) {
        padici_ring_pow(r, y, unity, root->turn, temp);
        padici_ring_copy(r, unity, y);
    }
    for (i = 0; i < call->count; i++) {
        int unit;
        padici_cell_load(call, &call->a, i, &a);
        x.v = 0;
        x.bits = 0;
        x.n = r->precision;
        unit = padici_root_unit(call, &x, &a, temp);
        padici_ring_copy(r, y, x.u);
        if (unit && root->alone) padici_ring_mul(r, y, x.u, unity);
        for (j = 0; j < roots; j++) {
            copy = x;
            if (unit) {
                padici_root_finish(call, &copy, y);
                padici_ring_mul(r, temp, y, unity);
                padici_ring_copy(r, y, temp);
            }
            padici_cell_store(call, j * call->stride + i, &copy);
        }
    }
}

static void padici_roots_loop(padic_num_call *call)
{
    const padici_root *root = (const padici_root *)call->options;
    const int series = root->e && root->n != 2;
    padici_series_run(call, root, series, series, padici_roots_each);
}

static padic_result padici_series_call(padic_context *context, const char *name, uint32_t kernel,
                                       int64_t k, const void *options,
                                       void (*loop)(padic_num_call *call),
                                       const padic_num_array *out, const padic_num_array *a,
                                       const padic_num_array *b)
{
    padici_num_task task;
    if (!out || !a)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name,
                              !out ? "out is NULL" : b ? "x is NULL" : "a is NULL");
    padici_num_task_begin(&task, name, kernel, loop, out, a, b, NULL);
    if (b) { // x^s
        task.field[1] = "x";
        task.field[2] = "s";
    }
    task.call.k = k;
    task.call.options = options;
    return padici_num_run(context, &task);
}

static padic_result padici_num_root(padic_context *context, const char *name,
                                    const padic_num_array *out, const padic_num_array *a,
                                    uint64_t n)
{
    padici_root root;
    if (!out || !padici_ring_is(out->ring) || !n)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name,
                              !out ? "out is NULL"
                              : n  ? "out.ring was not made by num_ring_init"
                                   : "n is 0: there is no 0th root");
    if (out->ring->composite)
        return padici_fail_in(context, PADIC_ERROR_NOT_SUPPORTED, name,
                              "out.ring has a radix that is no prime");
    padici_root_init(&root, out->ring, n, 0);
    return padici_series_call(context, name,
                              n == 2 ? (uint32_t)PADIC_KERNEL_NUM_SQRT
                                     : (uint32_t)PADIC_KERNEL_NUM_ROOT,
                              (int64_t)n, &root, padici_root_loop, out, a, NULL);
}

PADIC_API padic_result padic_num_root(padic_context *context, const padic_num_array *out,
                                      const padic_num_array *a, uint64_t n)
{
    return padici_num_root(context, "num_root", out, a, n);
}

PADIC_API padic_result padic_num_sqrt(padic_context *context, const padic_num_array *out,
                                      const padic_num_array *a)
{
    return padici_num_root(context, "num_sqrt", out, a, 2);
}

PADIC_API uint64_t padic_num_root_count(const padic_num_ring *ring, uint64_t n)
{
    if (!padici_ring_is(ring) || ring->composite || !n) return 0;
    return padici_num_gcd(n, ring->p == 2 ? 2 : ring->p - 1);
}

// Operands of functions whose output has a count of its own: planes, status, the memory of both.
static padic_result padici_series_out(padic_context *context, padici_num_space *space,
                                      const padic_num_array *out, padic_num_call *call,
                                      padici_num_range *list, uint32_t *n)
{
    void *status = NULL;
    padic_result result = padici_num_planes_in(context, space, out, &call->out);
    if (!result && (out->status.dtype || out->status.data))
        result = padici_num_plane_in(context, space, &out->status, out->count, 1u << PADIC_U8,
                                     &status);
    if (result) return result;
    call->status = (uint8_t *)status;
    padici_num_ranges(out->ring, &call->out, out->count, 1, list, n);
    padici_num_range_add(list, n, status, out->count, 0, 1);
    padici_num_range_add(list, n, out->sticky, sizeof *out->sticky, 0, 1);
    return PADIC_OK;
}

static padic_result padici_series_in(padic_context *context, padici_num_space *space,
                                     const padic_num_array *a, padic_num_planes *planes,
                                     padici_num_range *list, uint32_t *n)
{
    uint32_t first = *n;
    const padic_result result = padici_num_planes_in(context, space, a, planes);
    if (!result) padici_num_ranges(a->ring, planes, a->count, 0, list, n);
    for (; first < *n; first++) list[first].kind = 0; // not even the same planes
    return result;
}

// Elements first to first + count - 1 of a dense plane.
static void padici_num_slice(padic_tensor *t, uint64_t first, uint64_t count)
{
    const padic_tensor all = *t;
    if (!all.dtype) return;
    *t = padic_tensor_1d(all.dtype, NULL, count);
    t->buffer = all.buffer;
    t->offset = all.offset + first;
}

// Root number root->turn of each number.
static padic_result padici_root_turn(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padici_root *root)
{
    return padici_series_call(context, "num_roots", PADIC_KERNEL_NUM_ROOT, (int64_t)root->n, root,
                              padici_roots_loop, out, a, NULL);
}

// All roots in buffers, whose planes have been looked at: one after the other.
static PADICI_NOINLINE padic_result padici_roots_apart(padic_context *context,
                                                       const padic_num_array *out,
                                                       const padic_num_array *a, padici_root *root)
{
    padic_result result = PADIC_OK, one;
    root->alone = 1;
    for (root->turn = 0; root->turn < root->count; root->turn++) {
        padic_num_array part = *out;
        const uint64_t first = root->turn * a->count;
        part.count = a->count;
        padici_num_slice(&part.unit, first, a->count);
        padici_num_slice(&part.val, first, a->count);
        padici_num_slice(&part.known, first, a->count);
        padici_num_slice(&part.status, first, a->count);
        one = padici_root_turn(context, &part, a, root);
        if (one && one != PADIC_ERROR_DOMAIN) return one;
        if (one) result = one;
    }
    return result;
}

PADIC_API padic_result padic_num_roots(padic_context *context, const padic_num_array *out,
                                       const padic_num_array *a, uint64_t n)
{
    padici_num_space space, *places = NULL;
    const uint64_t roots = out ? padic_num_root_count(out->ring, n) : 0;
    padici_num_task task;
    padici_root root;
    padici_num_range list[9];
    padic_num_planes planes;
    padic_num_array in;
    uint32_t ranges = 0;
    uint64_t count;
    padic_result result;
    if (!out || !a || !roots)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_roots",
                              "out or a is NULL, out.ring is none of a prime, or n is 0");
    if (!padici_ring_is(a->ring))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_roots",
                              "a.ring was not made by num_ring_init");
    if (!padici_ring_equal(out->ring, a->ring) || out->model != a->model)
        return padici_fail_in(context, PADIC_ERROR_RING, "num_roots",
                              "out and a are of different rings or models");
    if (!padici_mul_u64(roots, a->count, &count) || out->count != count)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, "num_roots",
                              "out.count must be num_root_count times a.count");
    in = *a;
    in.scratch = out->scratch;
    in.scratch_size = out->scratch_size;
    padici_num_task_begin(&task, "num_roots", 0, padici_roots_loop, NULL, &in, NULL, NULL);
    memset(&space, 0, sizeof space);
    if (out->ring->form <= PADIC_NUM_W64) places = &space;
    result = padici_series_out(context, places, out, &task.call, list, &ranges);
    padici_blame(context, result, "out", NULL, NULL);
    if (!result) {
        result = padici_series_in(context, places, a, &planes, list, &ranges);
        padici_blame(context, result, "a", NULL, NULL);
    }
    if (!result) result = padici_num_overlap(list, ranges);
    if (!result && space.mems && space.host)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "out", NULL,
                              "and a lie apart, in host memory and on a device");
    if (result) return padici_fault(context, result, "num_roots");
    padici_root_init(&root, out->ring, n, 1);
    if (space.mems) return padici_roots_apart(context, out, a, &root);
    task.call.stride = a->count;
    task.call.options = &root;
    task.sticky = out->sticky;
    return padici_num_run(context, &task);
}

PADIC_API padic_result padic_num_exp(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a)
{
    return padici_series_call(context, "num_exp", PADIC_KERNEL_NUM_EXP, 0, NULL, padici_exp_loop,
                              out, a, NULL);
}

PADIC_API padic_result padic_num_log(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, uint32_t options)
{
    if (options > PADIC_NUM_IWASAWA)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_log",
                              "options must be 0 or PADIC_NUM_IWASAWA");
    return padici_series_call(context, "num_log", PADIC_KERNEL_NUM_LOG, options, NULL,
                              padici_log_loop, out, a, NULL);
}

PADIC_API padic_result padic_num_pow_padic(padic_context *context, const padic_num_array *out,
                                           const padic_num_array *x, const padic_num_array *s)
{
    if (!s) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_pow_padic", "s is NULL");
    return padici_series_call(context, "num_pow_padic", PADIC_KERNEL_NUM_POW_PADIC, 0, NULL,
                              padici_pow_padic_loop, out, x, s);
}

PADIC_API padic_result padic_num_teichmueller(padic_context *context, const padic_num_array *out,
                                              const padic_num_array *a)
{
    return padici_series_call(context, "num_teichmueller", PADIC_KERNEL_NUM_TEICHMUELLER, 0, NULL,
                              padici_teichmueller_loop, out, a, NULL);
}

// Tables: lays them out in 64-bit words; returns the number of words, 0 if there are none.
static uint64_t padici_tables_lay(const padic_num_ring *r, padici_tables *t)
{
    const uint64_t most = r->p > 4096 ? r->p : 4096;
    uint64_t at = (sizeof *t + 7) / 8, q = 1;
    int log;
    memset(t, 0, sizeof *t);
    if (r->p <= 65537) {
        for (; t->digits < r->precision && q * r->p <= most; q *= r->p) t->digits++;
        t->modulus = q;
        t->reciprocal = UINT64_MAX / q;
        t->p_reciprocal = UINT64_MAX / r->p;
        t->root_digits = r->p > 2 ? t->digits : t->digits > 3 ? t->digits - 1 : 2;
        t->inverse = (uint32_t)at;
        at += (q + 1) / 2;
        t->root = (uint32_t)at;
        at += (q + 1) / 2;
        if (r->p > 2 && r->p * r->words <= UINT64_C(1) << 18) {
            t->teichmueller = (uint32_t)at;
            at += (r->p + (r->form == PADIC_NUM_RX ? 8 : 0)) * r->words;
        }
    }
    if (r->form == PADIC_NUM_RX) return t->modulus ? at : 0;
    for (log = 0; log < 2; log++) {
        t->series[log] = (uint32_t)at;
        at += padici_series_count(r, log) * r->words;
    }
    return at;
}

PADIC_API size_t padic_num_ring_tables_bound(const padic_num_ring *ring)
{
    padici_tables t;
    if (!padici_ring_is(ring) || ring->composite) return 0;
    return (size_t)padici_tables_lay(ring, &t) * sizeof(uint64_t);
}

static void padici_tables_seeds(const padic_num_ring *r, const padici_tables *t, uint64_t *base)
{
    uint32_t *const inverse = (uint32_t *)(void *)(base + t->inverse);
    uint32_t *const root = (uint32_t *)(void *)(base + t->root);
    uint64_t i;
    memset(inverse, 0, (size_t)(t->root - t->inverse) * 16);
    for (i = 1; i < t->modulus; i++)
        if (i % r->p) inverse[i] = (uint32_t)padici_inverse_mod(i, t->modulus);
    for (i = 1; i < t->modulus; i++)
        if (r->p == 2 ? (i & 3) == 1 : i % r->p && i % r->p <= r->p / 2)
            root[i * i % t->modulus] = inverse[i];
}

PADIC_API padic_result padic_num_ring_tables(padic_num_ring *ring, void *memory, size_t size)
{
    const size_t need = padic_num_ring_tables_bound(ring);
    padici_tables t;
    uint64_t *const base = (uint64_t *)memory;
    uint64_t temp[16], i;
    int log;
    if (!padici_ring_is(ring)) return PADIC_ERROR_ARGUMENT;
    if (ring->composite) return PADIC_ERROR_NOT_SUPPORTED;
    ring->tables = NULL;
    if (!need) return PADIC_OK;
    if (!memory) return PADIC_ERROR_ARGUMENT;
    if (!padici_aligned(memory, 8)) return PADIC_ERROR_ALIGNMENT;
    if (size < need) return PADIC_ERROR_CAPACITY;
    padici_tables_lay(ring, &t);
    if (t.inverse) padici_tables_seeds(ring, &t, base);
    for (i = 0; t.teichmueller && i < ring->p; i++) { // RX: scratch behind
        uint64_t *const w = base + t.teichmueller + i * ring->words;
        padici_ring_teichmueller(ring, w, i, ring->form == PADIC_NUM_RX ? w + ring->words : temp);
    }
    for (log = 0; log < 2 && t.series[0]; log++)
        padici_series_make(ring, log, base + t.series[log], padici_series_count(ring, log), temp);
    memcpy(base, &t, sizeof t);
    ring->tables = memory;
    return PADIC_OK;
}

// Hensel. A polynomial is read from the planes of an array, or is `terms` residues in words.
typedef struct padici_polynomial {
    const padic_num_call *call;
    padic_num_planes planes;
    uint64_t at, stride; // of its coefficients
    const uint64_t *words;
    uint32_t terms;
} padici_polynomial;

// Coefficient k modulo P; returns how many digits are known, at most N, or -1 if it is no integer.
static int64_t padici_polynomial_get(const padici_polynomial *f, uint64_t k, uint64_t *x)
{
    const padic_num_ring *r = f->call->ring;
    padici_cell c;
    int64_t known = r->precision;
    if (f->words) {
        padici_ring_copy(r, x, f->words + k * r->words);
        return known;
    }
    c.u = x;
    padici_cell_load(f->call, &f->planes, f->at + k * f->stride, &c);
    if (c.v < 0) return -1;
    if (f->call->model == PADIC_NUM_BALL && c.v != PADIC_NUM_ZERO && c.v + (int64_t)c.n < known)
        known = c.v + (int64_t)c.n;
    if (c.v > 0) padici_ring_up(r, x, x, (uint64_t)c.v);
    return known;
}

// y = f(x), d = f'(x); `t`: 2 residues.
static void padici_polynomial_value(const padici_polynomial *f, const uint64_t *x, uint64_t *y,
                                    uint64_t *d, uint64_t *t)
{
    const padic_num_ring *r = f->call->ring;
    uint64_t *const c = t + r->words;
    uint32_t k = f->terms;
    padici_ring_set(r, y, 0);
    padici_ring_set(r, d, 0);
    while (k-- > 0) {
        padici_ring_mul(r, t, d, x);
        padici_ring_add(r, d, t, y);
        padici_ring_mul(r, t, y, x);
        padici_polynomial_get(f, k, c);
        padici_ring_add(r, y, t, c);
    }
}

// Lifts x to the root near it, if the lemma holds there: then returns how many digits of it are
// right, of `known` digits of f; else 0. `t`: 8 residues.
static uint32_t padici_hensel_lift(const padici_polynomial *f, uint64_t *x, uint32_t known,
                                   uint64_t *t)
{
    const padic_num_ring *r = f->call->ring;
    uint64_t *const y = t, *const d = t + r->words, *const a = t + 2 * r->words;
    uint64_t *const temp = t + 3 * r->words;
    uint32_t v, s, steps = 0;
    padici_polynomial_value(f, x, y, d, temp);
    v = padici_ring_valuation(r, y);
    s = padici_ring_valuation(r, d);
    if ((v < known ? v : known) <= 2 * s) return 0;
    while (v < known && ++steps < 20) { // x -= f(x) / f'(x)
        padici_ring_down(r, y, y, s);
        padici_ring_down(r, d, d, s);
        padici_ring_inv(r, a, d, temp);
        padici_ring_mul(r, d, a, y);
        padici_ring_sub(r, x, x, d);
        padici_polynomial_value(f, x, y, d, temp);
        v = padici_ring_valuation(r, y);
    }
    padici_ring_low(r, x, x, known - s);
    return known - s;
}

// The least number of known digits of all coefficients, -1 if one is no integer; *nonzero: is one
// not 0? With `words` they are copied there. `t`: 1 residue.
static int64_t padici_polynomial_known(const padici_polynomial *f, uint64_t *words, int *nonzero,
                                       uint64_t *t)
{
    const padic_num_ring *r = f->call->ring;
    int64_t known = r->precision;
    uint32_t k;
    *nonzero = 0;
    for (k = 0; k < f->terms; k++) {
        const int64_t n = padici_polynomial_get(f, k, t);
        if (n < known) known = n;
        if (n < 0) return -1;
        *nonzero |= !padici_ring_is_zero(r, t);
        if (words) padici_ring_copy(r, words + k * r->words, t);
    }
    return known;
}

// The root x, of which x->n digits are right.
static void padici_hensel_finish(const padic_num_call *call, padici_cell *x)
{
    x->v = 0;
    if (call->model == PADIC_NUM_RING)
        x->bits = x->n < call->ring->precision ? PADIC_NUM_PRECLOSS : 0;
    else
        padici_cell_normal(call, x);
}

// Seeds: a; coefficients: c, k of them, `stride` elements apart, or one after the other.
static void padici_hensel_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i;
    uint64_t *const words = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    uint64_t *const temp = words + 2 * r->words;
    padici_polynomial f;
    padici_cell a, x;
    int64_t known;
    int nonzero;
    memset(&f, 0, sizeof f);
    f.call = call;
    f.planes = call->c;
    f.planes.scalar = 0;
    f.terms = (uint32_t)call->k;
    f.stride = call->stride ? call->stride : 1;
    a.u = words;
    x.u = words + r->words;
    for (i = 0; i < call->count; i++) {
        f.at = call->stride ? i : 0;
        padici_cell_load(call, &call->a, i, &a);
        x.v = 0;
        x.bits = 0;
        if (!padici_cell_nan(&x, &a, NULL)) {
            known = padici_polynomial_known(&f, NULL, &nonzero, temp);
            x.n = 0;
            if (known >= 0 && a.v >= 0) {
                padici_ring_up(r, x.u, a.u, a.v == PADIC_NUM_ZERO ? 0 : (uint64_t)a.v);
                x.n = padici_hensel_lift(&f, x.u, (uint32_t)known, temp);
            }
            if (x.n)
                padici_hensel_finish(call, &x);
            else
                x.bits = PADIC_NUM_OUTSIDE;
        }
        padici_cell_store(call, i, &x);
    }
}

// All roots. The classes x + p^k Z_p that wait are a queue in the scratch, x and k of each.
typedef struct padici_hensel {
    const padic_num_hensel_desc *desc;
    padic_num_call call;
    padici_polynomial f, g;   // g(t) = f(x + p^k t) / p^m
    uint64_t *words, *shifted, *digits, *queue, *temp; // of f, of g; g modulo p
    uint64_t head, waiting, at; // at: element of the next root
    uint32_t known, found, lower_bound;
    uint32_t own; // 1: each polynomial has its coefficients
} padici_hensel;

// g and its digits for x + p^k Z_p: a Taylor shift, then p^(kj) to the coefficients, which lose
// their common power of p. Returns how many digits are known of them, 0 if none.
static uint32_t padici_hensel_shift(padici_hensel *h, const uint64_t *x, uint32_t k, uint64_t *t)
{
    const padic_num_ring *r = h->call.ring;
    const uint32_t terms = h->desc->terms, words = r->words;
    uint64_t *const g = h->shifted;
    uint32_t i, j, v, m = h->known;
    memcpy(g, h->words, (size_t)terms * words * sizeof *t);
    for (i = 0; i + 1 < terms && !padici_ring_is_zero(r, x); i++)
        for (j = terms - 1; j-- > i;) {
            padici_ring_mul(r, t, g + (j + 1) * words, x);
            padici_ring_add(r, g + j * words, g + j * words, t);
        }
    for (j = 0; j < terms; j++) {
        padici_ring_up(r, g + j * words, g + j * words, (uint64_t)j * k);
        v = padici_ring_valuation(r, g + j * words);
        if (v < m) m = v;
    }
    for (j = 0; j < terms; j++) {
        padici_ring_down(r, g + j * words, g + j * words, m);
        h->digits[j] = padici_ring_digit(r, g + j * words);
    }
    return h->known - m;
}

// Splits the class x + p^k Z_p: writes the roots alone in their residue, and queues the others.
static void padici_hensel_class(padici_hensel *h, const uint64_t *x, uint32_t k, uint64_t *t)
{
    const padic_num_ring *r = h->call.ring;
    const uint64_t p = r->p, branches = h->desc->branches;
    const uint32_t words = r->words, known = padici_hensel_shift(h, x, k, t);
    uint32_t terms = h->desc->terms, j;
    uint64_t y, d, residue, *entry;
    padici_cell root;
    root.u = t;
    t += words;
    h->lower_bound |= !known;
    while (terms > 0 && !h->digits[terms - 1]) terms--;
    for (residue = 0; residue < p && terms > 1 && known; residue++) {
        for (y = 0, j = terms; j-- > 0;) y = (y * residue + h->digits[j]) % p;
        if (y) continue;
        for (d = 0, j = terms; --j > 0;) d = (d * residue + h->digits[j] * (j % p)) % p;
        padici_ring_set(r, root.u, residue);
        h->lower_bound |= !d && (h->waiting == branches || k + 1 >= h->known);
        if (!d && branches) {
            if (h->waiting == branches || k + 1 >= h->known) continue;
            entry = h->queue + (h->head + h->waiting++) % branches * (words + 1);
            padici_ring_up(r, t, root.u, k);
            padici_ring_add(r, entry, x, t);
            entry[words] = k + 1;
            continue;
        }
        root.n = k + padici_hensel_lift(&h->g, root.u, known, t);
        if (!root.n || h->found++ >= h->desc->most) continue;
        padici_ring_up(r, root.u, root.u, k);
        padici_ring_add(r, root.u, root.u, x);
        padici_ring_low(r, root.u, root.u, root.n);
        root.bits = 0;
        padici_hensel_finish(&h->call, &root);
        padici_cell_store(&h->call, h->at++, &root);
    }
}

// All roots of polynomial i.
static void padici_hensel_roots(padici_hensel *h, uint64_t i)
{
    const padic_num_hensel_desc *desc = h->desc;
    const padic_num_ring *r = h->call.ring;
    uint64_t *const x = h->temp, *const t = h->temp + r->words, *entry;
    padici_cell none;
    int nonzero;
    const int64_t known = padici_polynomial_known(&h->f, h->words, &nonzero, t);
    uint32_t k = 0;
    h->found = h->lower_bound = 0;
    h->head = h->waiting = 0;
    h->at = i * desc->most;
    h->known = known > 0 ? (uint32_t)known : 0;
    padici_ring_set(r, x, 0);
    while (known > 0) {
        padici_hensel_class(h, x, k, t);
        if (!h->waiting) break;
        entry = h->queue + h->head * (r->words + 1);
        padici_ring_copy(r, x, entry);
        k = (uint32_t)entry[r->words];
        h->head = (h->head + 1) % desc->branches;
        h->waiting--;
    }
    none.u = t;
    while (h->at < (i + 1) * desc->most) { // the unused ones
        none.bits = known < 0 ? PADIC_NUM_OUTSIDE : 0;
        padici_cell_integer(&h->call, &none, 0);
        padici_cell_store(&h->call, h->at++, &none);
    }
}

PADIC_API size_t padic_num_hensel_bound(const padic_num_hensel_desc *desc)
{
    const padic_num_ring *r = desc ? desc->out.ring : NULL;
    uint64_t words;
    if (!padici_ring_is(r) || desc->seeds.ring || desc->terms >> 20 || desc->branches >> 20)
        return 0;
    words = (uint64_t)desc->terms * (2 * r->words + 1) + PADICI_NUM_TEMPS * r->words +
            (uint64_t)desc->branches * (r->words + 1);
    return words > (size_t)-1 / 16 ? 0 : (size_t)words * sizeof(uint64_t);
}

// All polynomials, in host memory. Nothing is written if one of them is 0.
#define PADICI_HENSEL_NOTHING (UINT32_C(1) << 31)
static void padici_hensel_all_loop(padic_num_call *call)
{
    padici_hensel h = *(const padici_hensel *)call->options;
    const uint64_t n = h.desc->polynomials;
    uint64_t i;
    int nonzero;
    h.call = *call;
    h.call.scratch = NULL;
    h.f.call = &h.call;
    h.f.planes = call->c;
    h.f.planes.scalar = 0;
    h.g = h.f;
    h.g.words = h.shifted;
    for (i = 0; i < n; i++) {
        h.f.at = h.own ? i : 0;
        if (padici_polynomial_known(&h.f, NULL, &nonzero, h.temp) < 0 || nonzero) continue;
        call->bits |= PADICI_HENSEL_NOTHING;
        return;
    }
    for (i = 0; i < n; i++) {
        h.f.at = h.own ? i : 0;
        padici_hensel_roots(&h, i);
        ((uint32_t *)call->other[0])[i] = h.found;
        if (call->other[1]) ((uint8_t *)call->other[1])[i] = (uint8_t)h.lower_bound;
    }
    call->bits |= h.call.bits;
}

// Planes, scratch and overlaps of a search for all roots.
static padic_result padici_hensel_operands(padici_hensel *h, padici_num_task *task)
{
    const padic_num_hensel_desc *desc = h->desc;
    const padic_num_ring *r = desc->out.ring;
    const size_t need = padic_num_hensel_bound(desc);
    const uint64_t n = desc->polynomials;
    padici_num_space *const space = &task->space;
    padic_num_call *const call = &task->call;
    padici_num_range *const list = task->ranges;
    uint32_t *const ranges = &task->range_count;
    uint64_t roots;
    padic_result result;
    if (r->p >> 20)
        return padici_blame(task->context, PADIC_ERROR_LIMIT, "seeds", NULL,
                            "are needed where p is 2^20 or more");
    if (!padici_mul_u64(desc->most, n, &roots) || desc->out.count != roots)
        return padici_blame(task->context, PADIC_ERROR_MISMATCH, "out", "count",
                            "must be `most` times `polynomials`");
    if (!need || desc->scratch_size < need || !desc->scratch)
        return padici_blame(task->context, PADIC_ERROR_CAPACITY, "scratch", NULL,
                            "is missing or too small: see num_hensel_bound");
    if (!padici_aligned(desc->scratch, 8))
        return padici_blame(task->context, PADIC_ERROR_ALIGNMENT, "scratch", NULL, NULL);
    result = padici_num_plane_in(task->context, space, &desc->found, n, 1u << PADIC_U32,
                                 &call->other[0]);
    padici_blame(task->context, result, "found", NULL, NULL);
    if (!result && (desc->guarantee.dtype || desc->guarantee.data)) {
        result = padici_num_plane_in(task->context, space, &desc->guarantee, n, 1u << PADIC_U8,
                                     &call->other[1]);
        padici_blame(task->context, result, "guarantee", NULL, NULL);
    }
    if (!result) {
        result = padici_series_out(task->context, space, &desc->out, call, list, ranges);
        padici_blame(task->context, result, "out", NULL, NULL);
    }
    if (!result) {
        result = padici_series_in(task->context, space, &desc->coefficients, &call->c, list,
                                  ranges);
        padici_blame(task->context, result, "coefficients", NULL, NULL);
    }
    if (!result && space->mems && space->host)
        result = padici_blame(task->context, PADIC_ERROR_ARGUMENT, "out", NULL,
                              "and coefficients lie apart, in host memory and on a device");
    if (result) return result;
    padici_num_range_add(list, ranges, call->other[0], n * 4, 0, 1);
    padici_num_range_add(list, ranges, call->other[1], n, 0, 1);
    padici_num_range_add(list, ranges, desc->scratch, desc->scratch_size, 0, 1);
    call->scratch = desc->scratch;
    task->scratch = need;
    task->scratch_pieces = 1;
    h->shifted = (uint64_t *)desc->scratch;
    h->words = h->shifted + (uint64_t)desc->terms * r->words;
    h->digits = h->words + (uint64_t)desc->terms * r->words;
    h->queue = h->digits + desc->terms;
    h->temp = h->queue + (uint64_t)desc->branches * (r->words + 1);
    return padici_num_overlap(list, *ranges);
}

static padic_result padici_hensel_all(padic_context *context, const padic_num_hensel_desc *desc,
                                      uint32_t own)
{
    padici_hensel h;
    padici_num_task task;
    uint32_t *const sticky = desc->out.sticky;
    uint32_t unused = 0, bits;
    padic_result result;
    memset(&h, 0, sizeof h);
    h.desc = desc;
    h.own = own;
    h.f.terms = desc->terms;
    h.f.stride = own ? desc->polynomials : 1;
    padici_num_task_begin(&task, "num_hensel", PADIC_KERNEL_NUM_HENSEL_ALL, padici_hensel_all_loop,
                          NULL, NULL, NULL, NULL);
    task.context = context;
    task.call.ring = desc->out.ring;
    task.call.model = desc->out.model;
    task.call.options = &h;
    result = padici_hensel_operands(&h, &task);
    if (result) return padici_fault(context, result, "num_hensel");
    if (!desc->polynomials) return PADIC_OK;
    task.count = desc->polynomials;
    task.whole = 1;
    task.sticky = sticky ? sticky : &unused; // bits are wanted in any case
    if (task.space.mems)
        result = padici_num_device(&task);
    else
        padici_num_pieces(&task);
    if (result) return result;
    bits = task.call.bits;
    if (bits & PADICI_HENSEL_NOTHING)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_hensel",
                              "coefficients: all known digits of a polynomial are 0");
    if (sticky) *sticky |= bits;
    if (bits & PADIC_NUM_HARD && !sticky && !task.call.status)
        return padici_fail_in(context, PADIC_ERROR_DOMAIN, "num_hensel",
                              "coefficients: one is no integer, and out has neither status nor "
                              "sticky to say whose");
    return PADIC_OK;
}

PADIC_API padic_result padic_num_hensel(padic_context *context, const padic_num_hensel_desc *desc)
{
    const padic_num_array *out = desc ? &desc->out : NULL;
    const padic_num_array *c = desc ? &desc->coefficients : NULL;
    padici_num_task task;
    uint64_t all;
    uint32_t own;
    if (!desc || !desc->terms || !padici_ring_is(out->ring) || !padici_ring_is(c->ring) ||
        (uint32_t)out->model > PADIC_NUM_BALL)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_hensel",
                              !desc          ? "desc is NULL"
                              : !desc->terms ? "terms is 0: give at least one coefficient"
                                             : "out or coefficients has no ring, or out.model is "
                                               "none that there is");
    if (out->ring->composite)
        return padici_fail_in(context, PADIC_ERROR_NOT_SUPPORTED, "num_hensel",
                              "out.ring has a radix that is no prime");
    if (desc->terms >> 20 || desc->branches >> 20 ||
        !padici_mul_u64(desc->terms, desc->seeds.ring ? out->count : desc->polynomials, &all))
        return padici_fail_in(context, PADIC_ERROR_LIMIT, "num_hensel",
                              "terms and branches must be below 2^20");
    own = c->count != desc->terms;
    if (!padici_ring_equal(out->ring, c->ring) || out->model != c->model)
        return padici_fail_in(context, PADIC_ERROR_RING, "num_hensel",
                              "out and coefficients are of different rings or models");
    if (own && c->count != all)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, "num_hensel",
                              "coefficients.count must be terms, or terms times polynomials");
    if (!desc->seeds.ring) return padici_hensel_all(context, desc, own);
    padici_num_task_begin(&task, "num_hensel", PADIC_KERNEL_NUM_HENSEL, padici_hensel_loop, out,
                          &desc->seeds, NULL, c);
    task.field[1] = "seeds";
    task.field[3] = "coefficients";
    task.call.k = desc->terms;
    task.c_moves = own;
    task.c_count = c->count;
    task.call.stride = own ? out->count : 0;
    if (padici_num_same_units(c, out))
        return padici_fail_in(context, PADIC_ERROR_OVERLAP, "num_hensel",
                              "out must not be the coefficients");
    return padici_num_run(context, &task);
}

// room: src/num/exact.c
// ------------------------------------------------------------------------------- >>exact impl

//
// From the bottom up: reconstruction of one number, in two words or in many, then of several over a
// common denominator; linear algebra, which ends with that; the operations on arrays.

// floor(sqrt(x)), bit by bit.
static padici_wide padici_wide_sqrt(padici_wide x)
{
    uint32_t k = (padici_wide_bits(x) + 1) / 2;
    uint64_t root = 0;
    while (k-- > 0) {
        const uint64_t c = root | UINT64_C(1) << k;
        if (!padici_wide_less(x, padici_wide_mul(c, c))) root = c;
    }
    return padici_wide_make(root, 0);
}

// floor((p^(digits - guard) - 1) / 2): 2 Nmax Dmax may not exceed twice this. 0 for no digits.
static padici_wide padici_ratrec_half(const padic_num_ring *r, uint32_t digits, uint32_t guard)
{
    if (digits <= guard) return padici_wide_make(0, 0);
    return padici_wide_shr(padici_wide_sub(padici_wide_load(r->power[digits - guard]),
                                           padici_wide_make(1, 0)), 1);
}

// floor(a / b) and the rest for a >= b > 0: mostly a small quotient, estimated from the top words.
PADICI_INLINE padici_wide padici_ratrec_divide(padici_wide a, padici_wide b, padici_wide *rest)
{
    const uint32_t k = 64 - padici_clz64(a.high | 1);
    const uint64_t y = padici_wide_shr(b, k).low;
    if (!a.high) {
        const uint64_t q = a.low / b.low;
        *rest = padici_wide_make(a.low - q * b.low, 0);
        return padici_wide_make(q, 0);
    }
    if (y >> 34) { // the estimate is at most 1 too small
        uint64_t q = padici_wide_shr(a, k).low / (y + 1);
        a = padici_wide_sub(a, padici_wide_mul_low(b, padici_wide_make(q, 0)));
        for (; !padici_wide_less(a, b); q++) a = padici_wide_sub(a, b);
        *rest = a;
        return padici_wide_make(q, 0);
    }
    return padici_wide_div(a, b, rest);
}

// The fraction n / d = u modulo m, a power of p, with |n| <= most_n and 0 < d <= most_d, in lowest
// terms: half of Euclid's algorithm, r = t u mod m in every row, |t| growing, its sign alternating.
// gcd(r, t) divides m, so that p not dividing t is all there is to test. Unique if 2 most_n most_d
// < m. 0: there is none; 1: n >= 0; -1: *n is -n.
static int padici_ratrec(uint64_t p, padici_wide m, padici_wide u, padici_wide most_n,
                         padici_wide most_d, padici_wide *n, padici_wide *d)
{
    padici_wide r0 = m, r1 = u, t0 = {0, 0}, t1 = {1, 0}, rest;
    int sign = 1;
    while (padici_wide_less(most_n, r1)) {
        const padici_wide q = padici_ratrec_divide(r0, r1, &rest);
        const padici_wide t = padici_wide_add(t0, padici_wide_mul_low(q, t1));
        r0 = r1;
        r1 = rest;
        t0 = t1;
        t1 = t;
        sign = -sign;
    }
    *n = r1;
    *d = t1;
    if (padici_wide_less(most_d, t1)) return 0;
    if (!t1.high && t1.low < p) return sign;
    padici_wide_div(t1, padici_wide_make(p, 0), &rest);
    return padici_wide_zero(rest) ? 0 : sign;
}

// What is asked of a fraction. All zero but guard: the default bounds.
typedef struct padici_bounds {
    uint32_t guard;
    uint32_t bits_n, bits_d;    // not 0: |n| < 2^bits_n, d < 2^bits_d, and nothing of the following
    padici_wide most_n, most_d; // 0: the largest that the other leaves
    uint64_t quotient;          // not 0: the row before the largest quotient, if that is above this
} padici_bounds;

// Binary integers of any length, lowest word first.

static uint32_t padici_words_bits(const uint64_t *x, uint32_t n)
{
    while (n > 0 && !x[n - 1]) n--;
    return n ? 64 * n - padici_clz64(x[n - 1]) : 0;
}

static int padici_words_less(const uint64_t *a, const uint64_t *b, uint32_t n)
{
    while (n > 0 && a[n - 1] == b[n - 1]) n--;
    return n > 0 && a[n - 1] < b[n - 1];
}

static void padici_words_swap(uint64_t *a, uint64_t *b, uint64_t n)
{
    for (; n > 0 && a != b; n--, a++, b++) {
        const uint64_t x = *a;
        *a = *b;
        *b = x;
    }
}

// x += a q; the carry beyond n words.
static uint64_t padici_words_add(uint64_t *x, const uint64_t *a, uint64_t q, uint32_t n)
{
    uint64_t carry = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        padici_wide s = padici_wide_add(padici_wide_mul(a[i], q), padici_wide_make(carry, 0));
        s = padici_wide_add(s, padici_wide_make(x[i], 0));
        x[i] = s.low;
        carry = s.high;
    }
    return carry;
}

// x -= a q; the borrow.
static uint64_t padici_words_sub(uint64_t *x, const uint64_t *a, uint64_t q, uint32_t n)
{
    uint64_t carry = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        const padici_wide s = padici_wide_add(padici_wide_mul(a[i], q), padici_wide_make(carry, 0));
        carry = s.high + (x[i] < s.low);
        x[i] -= s.low;
    }
    return carry;
}

// x = x q + carry; the word that leaves it.
static uint64_t padici_words_scale(uint64_t *x, uint64_t q, uint64_t carry, uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n; i++) {
        const padici_wide s = padici_wide_add(padici_wide_mul(x[i], q), padici_wide_make(carry, 0));
        x[i] = s.low;
        carry = s.high;
    }
    return carry;
}

// x = a in n words, of which it has m and needs no more than n.
static void padici_words_copy(uint64_t *x, uint32_t n, const uint64_t *a, uint32_t m)
{
    memset(x, 0, n * sizeof *x);
    memcpy(x, a, (n < m ? n : m) * sizeof *x);
}

// x = a b; x has na + nb words and is neither.
static void padici_words_mul(uint64_t *x, const uint64_t *a, uint32_t na, const uint64_t *b,
                             uint32_t nb)
{
    uint32_t i;
    memset(x, 0, (na + nb) * sizeof *x);
    for (i = 0; i < nb; i++) x[i + na] = padici_words_add(x + i, a, b[i], na);
}

// The 64 bits of x from bit `at` up, which may be beyond its n words.
static uint64_t padici_words_window(const uint64_t *x, uint32_t n, uint32_t at)
{
    const uint32_t k = at / 64, part = at % 64;
    const uint64_t low = k < n ? x[k] : 0, high = k + 1 < n ? x[k + 1] : 0;
    return part ? low >> part | high << (64 - part) : low;
}

// x = a p^k in n words, which it fits in; a = NULL: p^k.
static void padici_words_power(const padic_num_ring *r, uint64_t *x, const uint64_t *a, uint32_t k,
                               uint32_t n)
{
    const uint64_t one = 1;
    padici_big b;
    padici_words_copy(x, n, a ? a : &one, a ? n : 1);
    b.w = x;
    b.n = b.room = n;
    padici_big_trim(&b);
    padici_big_power(r, &b, k);
}

// x = the residue u of any form, in n words, which it fits in.
static void padici_words_of_ring(const padic_num_ring *r, uint64_t *x, const uint64_t *u,
                                 uint32_t n)
{
    uint32_t i;
    memset(x, 0, n * sizeof *x);
    if (r->form != PADIC_NUM_RX) memcpy(x, u, r->words * sizeof *x);
    for (i = r->form == PADIC_NUM_RX ? r->words : 0; i-- > 0;)
        padici_words_scale(x, r->base, u[i], r->words - i < n ? r->words - i : n);
}

// x mod d; *q = floor(x / d), which may be x, or NULL.
static uint64_t padici_words_divide(uint64_t *q, const uint64_t *x, uint32_t n, uint64_t d)
{
    const uint32_t shift = padici_clz64(d);
    const uint64_t reciprocal = padici_reciprocal(d << shift);
    uint64_t rest = 0;
    while (n-- > 0) {
        const uint64_t digit = padici_divide(padici_wide_shl(padici_wide_make(x[n], rest), shift),
                                             d << shift, reciprocal, &rest);
        rest >>= shift;
        if (q) q[n] = digit;
    }
    return rest;
}

// Euclid's rows: remainders r[0] > r[1] >= 0, cofactors |t[0]|, |t[1]| with alternating signs.
typedef struct padici_euclid {
    uint64_t *r[2], *t[2];
    uint32_t words; // of each
    int sign;       // of t[1]
} padici_euclid;

// One row further; the quotient, UINT64_MAX if that is too large. r[0] / r[1] is estimated from 63
// bits of r[0] and as many of r[1] as make the quotient's place a multiple of 64, never too large,
// until nothing is left.
static uint64_t padici_euclid_step(padici_euclid *e)
{
    uint64_t *const r0 = e->r[0], *const r1 = e->r[1], *const t0 = e->t[0], *const t1 = e->t[1];
    const uint32_t n = e->words, b1 = padici_words_bits(r1, n);
    uint64_t sum = 0;
    int large = 0;
    while (!padici_words_less(r0, r1, n)) {
        const uint32_t b0 = padici_words_bits(r0, n), places = b0 > b1 ? (b0 - b1 - 1) / 64 : 0;
        const uint32_t left = b0 > 63 ? b0 - 63 : 0; // r1 has the same shift but for the places
        const uint64_t x = padici_words_window(r0, n, left);
        const uint64_t y = left >= 64 * places ? padici_words_window(r1, n, left - 64 * places)
                                               : padici_words_window(r1, n, 0)
                                                     << (64 * places - left);
        uint64_t q = left ? x / (y + 1) : x / y;
        q += !q;
        padici_words_sub(r0 + places, r1, q, n - places);
        padici_words_add(t0 + places, t1, q, n - places);
        large |= b0 - b1 > 62;
        sum += q;
    }
    e->r[0] = r1;
    e->r[1] = r0;
    e->t[0] = t1;
    e->t[1] = t0;
    e->sign = -e->sign;
    return large ? UINT64_MAX : sum;
}

// A word of u a - v b, u and v below 2^33; the carry is in two's complement.
PADICI_INLINE uint64_t padici_euclid_word(uint64_t u, uint64_t a, uint64_t v, uint64_t b,
                                          uint64_t *carry)
{
    const padici_wide x = padici_wide_sub(padici_wide_mul(u, a), padici_wide_mul(v, b));
    const padici_wide y = padici_wide_add(x, padici_wide_make(*carry, 0 - (*carry >> 63)));
    *carry = y.high;
    return y.low;
}

// r[0], r[1] times the matrix (u0, -v0; -u1, v1), or its negative after an odd number of rows; t
// without signs. `n` words of r, `m` of t.
static void padici_euclid_apply(padici_euclid *e, const uint64_t u[2], const uint64_t v[2],
                                int odd, uint32_t n, uint32_t m)
{
    const uint64_t *const a = e->r[odd], *const b = e->r[!odd];
    const uint64_t *const x = odd ? v : u, *const y = odd ? u : v;
    uint64_t c0 = 0, c1 = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        const uint64_t first = padici_euclid_word(x[0], a[i], y[0], b[i], &c0);
        const uint64_t second = padici_euclid_word(y[1], b[i], x[1], a[i], &c1);
        e->r[0][i] = first;
        e->r[1][i] = second;
    }
    for (i = 0, c0 = c1 = 0; i < m; i++) {
        const uint64_t t0 = e->t[0][i], t1 = e->t[1][i];
        padici_wide s = padici_wide_add(padici_wide_mul(u[0], t0), padici_wide_mul(v[0], t1));
        s = padici_wide_add(s, padici_wide_make(c0, 0));
        e->t[0][i] = s.low;
        c0 = s.high;
        s = padici_wide_add(padici_wide_mul(u[1], t0), padici_wide_mul(v[1], t1));
        s = padici_wide_add(s, padici_wide_make(c1, 0));
        e->t[1][i] = s.low;
        c1 = s.high;
    }
    if (odd) e->sign = -e->sign;
}

// As many rows as the top 64 bits of r[0] and r[1] prove (Lehmer 1938), so long as r[1] keeps more
// than `stop` bits; 0 if that is none. A quotient of the tops is right if the rest and its distance
// to the divisor are not below the cofactors (Jebelean 1993), which so stay below 2^32.
static int padici_euclid_leap(padici_euclid *e, uint32_t stop)
{
    const uint32_t bits = padici_words_bits(e->r[0], e->words), at = bits > 64 ? bits - 64 : 0;
    uint64_t a = padici_words_window(e->r[0], e->words, at);
    uint64_t b = padici_words_window(e->r[1], e->words, at), least = 1;
    uint64_t u[2] = {1, 0}, v[2] = {0, 1};
    uint32_t n = (bits + 63) / 64, m;
    int odd = 0;
    if (stop > at) {
        if (stop - at >= 64) return 0;
        least = UINT64_C(1) << (stop - at);
    }
    while (b) {
        const uint64_t q = a / b, c = a - q * b, x = u[0] + q * u[1], y = v[0] + q * v[1];
        if (c < y || b - c < y + v[1] || c - y < least) break;
        a = b;
        b = c;
        u[0] = u[1];
        u[1] = x;
        v[0] = v[1];
        v[1] = y;
        odd = !odd;
    }
    if (v[0] == 0) return 0;
    m = e->words - n + 2;
    padici_euclid_apply(e, u, v, odd, n, m < e->words ? m : e->words);
    return 1;
}

// 2 a b < limit, of n words? `product` has room for na + nb + 1 words.
static int padici_words_below(const uint64_t *a, uint32_t na, const uint64_t *b, uint32_t nb,
                              const uint64_t *limit, uint32_t n, uint64_t *product)
{
    const uint32_t ba = padici_words_bits(a, na), bb = padici_words_bits(b, nb);
    const uint32_t bits = padici_words_bits(limit, n);
    uint32_t i;
    if (!ba || !bb) return bits > 0;
    if (ba + bb > bits) return 0; // 2 a b >= 2^(ba + bb - 1)
    na = (ba + 63) / 64;
    nb = (bb + 63) / 64;
    padici_words_mul(product, a, na, b, nb);
    na += nb;
    product[na] = padici_words_scale(product, 2, 0, na);
    for (i = n; i <= na; i++)
        if (product[i]) return 0;
    for (i = na + 1; i < n; i++)
        if (limit[i]) return 1;
    return padici_words_less(product, limit, na < n ? na + 1 : n);
}

// Is x at most the bound of numerators (d = 1: of denominators)? limit is p^(digits - guard).
// *stop: no x with more bits is.
static int padici_bounds_allow(const padici_bounds *bounds, int d, const uint64_t *x, uint32_t n,
                         const uint64_t *limit, uint64_t *product, uint32_t *stop)
{
    const uint32_t most_bits = d ? bounds->bits_d : bounds->bits_n;
    const padici_wide most = d ? bounds->most_d : bounds->most_n;
    const padici_wide other = d ? bounds->most_n : bounds->most_d;
    const uint32_t all = padici_words_bits(limit, n), other_bits = padici_wide_bits(other);
    uint64_t word[2];
    *stop = most_bits                  ? most_bits
            : !padici_wide_zero(most)  ? padici_wide_bits(most)
            : !padici_wide_zero(other) ? all > other_bits ? all - other_bits : 0
                                       : all / 2;
    if (padici_words_bits(x, n) > *stop) return 0;
    if (most_bits) return 1;
    padici_wide_store(word, padici_wide_zero(most) ? other : most);
    if (!padici_wide_zero(most))
        return !padici_wide_less(most, padici_wide_make(x[0], n > 1 ? x[1] : 0));
    if (padici_wide_zero(other)) return padici_words_below(x, n, x, n, limit, n, product);
    return padici_words_below(x, n, word, 2, limit, n, product);
}

// Is 2 Nmax Dmax < limit, as far as they are given?
static int padici_bounds_fit(const padici_bounds *bounds, const uint64_t *limit, uint32_t n,
                             uint64_t *product)
{
    uint64_t a[2], b[2];
    padici_wide_store(a, bounds->most_n);
    padici_wide_store(b, bounds->most_d);
    if (!(a[0] | a[1] | b[0] | b[1]) || bounds->bits_n) return 1;
    if (!(a[0] | a[1])) a[0] = 1;
    if (!(b[0] | b[1])) b[0] = 1;
    return padici_words_below(a, 2, b, 2, limit, n, product);
}

// The two bounds as numbers, up to W128. 0: 2 Nmax Dmax >= p^(digits - guard).
static int padici_bounds_wide(const padic_num_ring *r, uint32_t digits, const padici_bounds *bounds,
                              padici_wide *n, padici_wide *d)
{
    const padici_wide half = padici_ratrec_half(r, digits, bounds->guard);
    *n = bounds->most_n;
    *d = bounds->most_d;
    if (padici_wide_zero(*n) && padici_wide_zero(*d)) {
        *n = *d = padici_wide_sqrt(half);
        return digits > bounds->guard;
    }
    if (padici_wide_zero(*n)) *n = padici_wide_div(half, *d, NULL);
    if (padici_wide_zero(*d)) *d = padici_wide_div(half, *n, NULL);
    return !padici_wide_zero(*n) && !padici_wide_zero(*d) &&
           !padici_wide_less(padici_wide_div(half, *d, NULL), *n);
}

// Monagan's maximal quotient: the row before it, its remainder to n and its cofactor to d.
static int padici_euclid_largest(padici_euclid *e, uint64_t most, uint64_t *n, uint64_t *d,
                                 uint32_t words)
{
    int found = 0;
    if (!padici_words_bits(e->r[1], e->words)) { // 0 / 1
        padici_words_copy(n, words, e->r[1], e->words);
        padici_words_copy(d, words, e->t[1], e->words);
        return 1;
    }
    while (padici_words_bits(e->r[1], e->words) &&
           (padici_words_bits(e->r[0], e->words) > 64 || e->r[0][0] > most)) {
        const uint64_t q = padici_euclid_step(e);
        if (q <= most) continue;
        most = q;
        found = -e->sign;
        padici_words_copy(n, words, e->r[0], e->words);
        padici_words_copy(d, words, e->t[0], e->words);
    }
    return found;
}

// padici_ratrec() for any form: u known to `digits` digits, n and d as r->words binary words.
// `temp` has room for 20 residues, or for 6 (r->bits / 64 + 2) + 3 words.
static int padici_fraction(const padic_num_ring *r, const uint64_t *u, uint32_t digits,
                           const padici_bounds *bounds, uint64_t *n, uint64_t *d, uint64_t *temp)
{
    const uint32_t words = r->bits / 64 + 2; // of p^N and a carry
    uint64_t *const limit = temp + 4 * words, *const product = temp + 5 * words;
    padici_euclid e;
    uint32_t stop;
    if (digits <= bounds->guard) return 0;
    if (r->form < PADIC_NUM_RX && !bounds->quotient && !bounds->bits_n) {
        padici_wide x = {0, 0}, y = {0, 0}, most_n, most_d;
        int sign;
        if (!padici_bounds_wide(r, digits, bounds, &most_n, &most_d)) return 0;
        x = padici_wide_make(u[0], r->words > 1 ? u[1] : 0);
        sign = padici_ratrec(r->p, padici_wide_load(r->power[digits]), x, most_n, most_d, &x, &y);
        n[0] = x.low;
        d[0] = y.low;
        if (r->words > 1) n[1] = x.high;
        if (r->words > 1) d[1] = y.high;
        return sign;
    }
    e.r[0] = temp;
    e.r[1] = temp + words;
    e.t[0] = temp + 2 * words;
    e.t[1] = temp + 3 * words;
    e.words = words;
    e.sign = 1;
    padici_words_power(r, limit, NULL, digits - bounds->guard, words);
    padici_words_power(r, e.r[0], limit, bounds->guard, words);
    padici_words_of_ring(r, e.r[1], u, words);
    memset(e.t[0], 0, 2 * words * sizeof *temp);
    e.t[1][0] = 1;
    if (bounds->quotient) {
        e.sign = padici_euclid_largest(&e, bounds->quotient, n, d, r->words);
        return e.sign && padici_words_divide(NULL, d, r->words, r->p) ? e.sign : 0;
    }
    if (!padici_bounds_fit(bounds, limit, words, product)) return 0;
    while (!padici_bounds_allow(bounds, 0, e.r[1], words, limit, product, &stop))
        if (!padici_euclid_leap(&e, stop)) padici_euclid_step(&e);
    if (!padici_bounds_allow(bounds, 1, e.t[1], words, limit, product, &stop) ||
        !padici_words_divide(NULL, e.t[1], words, r->p))
        return 0;
    padici_words_copy(n, r->words, e.r[1], words);
    padici_words_copy(d, r->words, e.t[1], words);
    return e.sign;
}

static int padici_fraction_of(const padic_num_ring *r, const uint64_t *u, uint32_t digits,
                              uint64_t *n, uint64_t *d, uint64_t *temp)
{
    const padici_bounds bounds = {1, 0, 0, {0, 0}, {0, 0}, 0};
    return padici_fraction(r, u, digits, &bounds, n, d, temp);
}

// Numbers over a common denominator d: where u d has no small balanced residue, d is multiplied by
// the denominator of u d.
typedef struct padici_joint {
    const padic_num_ring *ring;
    const padici_bounds *bounds;
    uint64_t *d, *ring_d;            // d in binary words, and as a residue
    uint64_t *w, *x, *t;             // u d, its magnitude in binary, and room
    uint64_t *limit, *product, *temp; // as of padici_fraction()
    uint32_t words, digits;          // of binary integers; those that `limit` is for, 0: none yet
    int fit;                         // 2 Nmax Dmax < limit
} padici_joint;

// Lays it out in 15 parts of `part` words, and begins with d = 1.
static void padici_joint_begin(padici_joint *j, const padic_num_ring *r,
                               const padici_bounds *bounds, uint64_t *memory, uint64_t *d,
                               uint32_t part)
{
    j->ring = r;
    j->bounds = bounds;
    j->d = d;
    j->ring_d = memory;
    j->w = memory + part;
    j->x = memory + 2 * part;
    j->t = memory + 3 * part;
    j->limit = memory + 4 * part;
    j->product = memory + 5 * part; // 2 parts
    j->temp = memory + 7 * part;
    j->words = r->bits / 64 + 2;
    j->digits = 0;
    memset(d, 0, part * sizeof *d);
    d[0] = 1;
    padici_ring_set(r, j->ring_d, 1);
}

// w = u d mod p^digits, x = its balanced magnitude. Its sign, 0 if beyond the bound of numerators.
static int padici_joint_numerator(padici_joint *j, const uint64_t *u, uint32_t digits)
{
    const padic_num_ring *r = j->ring;
    uint32_t stop;
    if (digits <= j->bounds->guard) return 0;
    if (digits != j->digits) {
        padici_words_power(r, j->limit, NULL, digits - j->bounds->guard, j->words);
        j->fit = padici_bounds_fit(j->bounds, j->limit, j->words, j->product);
    }
    j->digits = digits;
    if (!j->fit) return 0;
    padici_ring_mul(r, j->w, u, j->ring_d);
    padici_ring_low(r, j->w, j->w, digits);
    padici_words_of_ring(r, j->x, j->w, j->words);
    if (padici_bounds_allow(j->bounds, 0, j->x, j->words, j->limit, j->product, &stop)) return 1;
    padici_ring_neg(r, j->t, j->w);
    padici_ring_low(r, j->t, j->t, digits);
    padici_words_of_ring(r, j->x, j->t, j->words);
    return -padici_bounds_allow(j->bounds, 0, j->x, j->words, j->limit, j->product, &stop);
}

// After that: the denominator of w becomes part of d. 0: there is none, or d is beyond its bound.
static int padici_joint_extend(padici_joint *j)
{
    const padic_num_ring *r = j->ring;
    const uint32_t n = j->words, all = padici_words_bits(j->limit, n);
    uint32_t stop;
    padici_big d;
    if (!padici_fraction(r, j->w, j->digits, j->bounds, j->x, j->t, j->temp)) return 0;
    if (padici_words_bits(j->t, r->words) + padici_words_bits(j->d, n) > all + 1) return 0;
    padici_words_mul(j->temp, j->d, n, j->t, r->words < n ? r->words : n);
    padici_words_copy(j->d, n, j->temp, n);
    if (!padici_bounds_allow(j->bounds, 1, j->d, n, j->limit, j->product, &stop)) return 0;
    d.w = j->temp;
    d.n = d.room = n;
    padici_big_trim(&d);
    padici_ring_of_big(r, j->ring_d, &d);
    return 1;
}

// Linear algebra

// An integer tensor of a call; U64 always has planes of words.
typedef struct padici_integers {
    void *data; // NULL: not wanted
    padic_dtype dtype;
    uint32_t limbs; // 0: no planes
    uint64_t step;  // from plane to plane
} padici_integers;

// Such a tensor with `count` integers of the dtypes allowed; one that is all zero is left out.
static padic_result padici_integers_of(padic_context *context, padici_num_space *space,
                                       const padic_tensor *t, uint64_t count, uint32_t allowed,
                                       padici_integers *x, padici_num_range *list,
                                       uint32_t *ranges)
{
    uint64_t all = count;
    padic_result result;
    if (!t->dtype && !t->data && !t->buffer.id) return PADIC_OK;
    x->dtype = t->dtype;
    x->step = count;
    if (t->dtype == PADIC_U64) {
        if (t->rank < 2) return PADIC_ERROR_DTYPE;
        if (!t->shape[0] || t->shape[0] > PADIC_NUM_MAX_BITS) return PADIC_ERROR_LIMIT;
        x->limbs = (uint32_t)t->shape[0];
        if (!padici_mul_u64(all, x->limbs, &all)) return PADIC_ERROR_LIMIT;
    }
    result = padici_num_plane_in(context, space, t, all, allowed, &x->data);
    if (!result)
        padici_num_range_add(list, ranges, x->data, all * padic_dtype_size(t->dtype), 0, 1);
    return result;
}

// Integer i = +-x, of n words; 0 and RANGE if that is too wide.
static uint32_t padici_integer_set(const padici_integers *out, uint64_t i, uint64_t *x, uint32_t n,
                                   int negative)
{
    padici_big b;
    if (n == 1 && out->dtype == PADIC_I64 && !(x[0] >> 63)) { // mostly
        ((int64_t *)out->data)[i] = (int64_t)(negative ? 0 - x[0] : x[0]);
        return 0;
    }
    b.w = x;
    b.n = b.room = n;
    padici_big_trim(&b);
    return padici_big_store(out->data, out->dtype, out->limbs, out->step, i, &b, negative && b.n);
}

// The largest primes below 2^49, descending: 2^49 minus these. Their product exceeds 2^4409, the
// square of what any determinant here reaches being below 2^(2 4225).
static const uint16_t padici_primes[90] = {
    81,   111,  123,  139,  181,  201,  213,  265,  283,  339,  441,  445,  475,  519,  565,
    571,  579,  585,  703,  741,  753,  759,  789,  805,  855,  909,  939,  943,  969,  1009,
    1015, 1083, 1123, 1131, 1165, 1173, 1215, 1245, 1281, 1323, 1399, 1405, 1441, 1453, 1489,
    1519, 1581, 1611, 1621, 1693, 1749, 1771, 1795, 1911, 1929, 1993, 1995, 2001, 2023, 2083,
    2101, 2103, 2115, 2185, 2215, 2269, 2295, 2353, 2413, 2421, 2475, 2505, 2545, 2623, 2629,
    2661, 2703, 2709, 2799, 2835, 2869, 2881, 2911, 2913, 2959, 3003, 3073, 3151, 3165, 3205};

// A field of that many elements.
typedef struct padici_prime {
    uint64_t q, reciprocal; // of q 2^15
} padici_prime;

static padici_prime padici_prime_make(uint32_t index)
{
    padici_prime f;
    f.q = (UINT64_C(1) << 49) - padici_primes[index];
    f.reciprocal = padici_reciprocal(f.q << 15);
    return f;
}

// x mod q, x < 2^112.
PADICI_INLINE uint64_t padici_prime_mod(const padici_prime *f, padici_wide x)
{
    uint64_t rest;
    padici_divide(padici_wide_shl(x, 15), f->q << 15, f->reciprocal, &rest);
    return rest >> 15;
}

PADICI_INLINE uint64_t padici_prime_sub(const padici_prime *f, uint64_t a, uint64_t b)
{
    return a >= b ? a - b : a + f->q - b;
}

// The same for x in two's complement, |x| < 2^112.
PADICI_INLINE uint64_t padici_prime_of(const padici_prime *f, padici_wide x)
{
    const int negative = (int)(x.high >> 63);
    uint64_t rest;
    if (negative) x = padici_wide_sub(padici_wide_make(0, 0), x);
    rest = x.high || x.low >= f->q ? padici_prime_mod(f, x) : x.low;
    return negative && rest ? f->q - rest : rest;
}

PADICI_INLINE padici_wide padici_wide_signed(int64_t a)
{
    return padici_wide_make((uint64_t)a, a < 0 ? UINT64_MAX : 0);
}

// a b in two's complement, modulo 2^128.
PADICI_INLINE padici_wide padici_wide_mul_signed(int64_t a, int64_t b)
{
    padici_wide x = padici_wide_mul((uint64_t)a, (uint64_t)b);
    x.high -= (a < 0 ? (uint64_t)b : 0) + (b < 0 ? (uint64_t)a : 0);
    return x;
}

// Sum a_i b_i, below 2^128.
static padici_wide padici_dot(const uint64_t *a, const uint64_t *b, uint32_t n)
{
    uint32_t i;
#if PADICI_INT128
    padici_u128 c = 0;
    for (i = 0; i < n; i++) c += (padici_u128)a[i] * b[i];
    return padici_wide_make((uint64_t)c, (uint64_t)(c >> 64));
#else
    padici_wide c = {0, 0};
    for (i = 0; i < n; i++) c = padici_wide_add(c, padici_wide_mul(a[i], b[i]));
    return c;
#endif
}

// Upper bounds m 2^e, m with its top bit set; 0 is m = 0.
typedef struct padici_scale {
    uint64_t m;
    int32_t e;
} padici_scale;

static padici_scale padici_scale_of(padici_wide x, int32_t e)
{
    padici_scale s = {0, 0};
    const uint32_t bits = padici_wide_bits(x);
    if (!bits) return s;
    s.e = e + (int32_t)bits - 64;
    s.m = bits > 64 ? padici_wide_shr(x, bits - 64).low : x.low << (64 - bits);
    if (bits > 64 && padici_wide_shl(x, 128 - bits).low && !++s.m) { // rounded up
        s.m = UINT64_C(1) << 63;
        s.e++;
    }
    return s;
}

static padici_scale padici_scale_mul(padici_scale a, padici_scale b)
{
    return padici_scale_of(padici_wide_mul(a.m, b.m), a.e + b.e);
}

// b with sqrt(x) < 2^b.
static uint32_t padici_scale_bits(padici_scale x)
{
    return x.m ? (uint32_t)(x.e + 65) / 2 : 0;
}

PADICI_INLINE uint64_t padici_num_magnitude(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

PADICI_INLINE int64_t padici_integer(const void *data, padic_dtype dtype, uint64_t i)
{
    return dtype == PADIC_I32 ? ((const int32_t *)data)[i] : ((const int64_t *)data)[i];
}

// The square of the Euclidean norm of n <= 64 integers from `first` on, `step` apart; if `one` at
// least 1.
static padici_scale padici_norm(const void *a, padic_dtype dtype, uint64_t first, uint32_t n,
                                uint32_t step, int one)
{
    padici_wide sum = {0, 0};
    uint64_t all = 0, x;
    uint32_t i, shift;
    for (i = 0; i < n; i++) all |= padici_num_magnitude(padici_integer(a, dtype, first + i * step));
    if (!all && one) sum.low = 1;
    shift = all >> 60 ? 8 : 0; // so that the sum stays below 2^128
    for (i = 0; i < n; i++) {
        x = padici_num_magnitude(padici_integer(a, dtype, first + i * step));
        sum = padici_wide_add(sum, padici_wide_shr(padici_wide_mul(x, x), shift));
        if (shift) sum = padici_wide_add(sum, padici_wide_make(1, 0));
    }
    return padici_scale_of(sum, (int32_t)shift);
}

// Hadamard's bound in bits for the matrix from `first` on: of |det|, or with `one` of every minor.
static uint32_t padici_hadamard(const void *a, padic_dtype dtype, uint64_t first, uint32_t n,
                                int one)
{
    padici_scale rows = {UINT64_C(1) << 63, -63}, cols = rows;
    uint32_t i, by_rows, by_cols;
    for (i = 0; i < n; i++) {
        rows = padici_scale_mul(rows, padici_norm(a, dtype, first + i * n, n, 1, one));
        cols = padici_scale_mul(cols, padici_norm(a, dtype, first + i, n, n, one));
    }
    by_rows = padici_scale_bits(rows);
    by_cols = padici_scale_bits(cols);
    return by_rows < by_cols ? by_rows : by_cols;
}

// Bounds in bits of minors of (A b): without b, and with b but for the factor |b|.
static uint32_t padici_solve_bits(const int64_t *a, uint32_t n, padici_scale *others)
{
    padici_scale all = {UINT64_C(1) << 63, -63}, least = {0, 0}, x;
    uint32_t i;
    *others = all;
    for (i = 0; i < n; i++) {
        x = padici_norm(a, PADIC_I64, i, n, n, 1);
        all = padici_scale_mul(all, x);
        if (!i) {
            least = x;
        } else if (x.e < least.e || (x.e == least.e && x.m < least.m)) {
            *others = padici_scale_mul(*others, least);
            least = x;
        } else {
            *others = padici_scale_mul(*others, x);
        }
    }
    return padici_scale_bits(all);
}

// Row echelon form of n rows of `cols` integers without fractions (Bareiss): every entry is a
// minor, all of them below 2^63, so that products fit in 128 bits, and the division by the pivot
// before is exact: by its inverse modulo 2^64. Pivots are in the first n columns. Returns the rank;
// *sign is that of the row exchanges.
static uint32_t padici_bareiss(int64_t *w, uint32_t n, uint32_t cols, int *sign)
{
    uint32_t row = 0, c, i, j, shift = 0;
    uint64_t inverse = 1;
    *sign = 1;
    for (c = 0; c < n && row < n; c++) {
        int64_t *const top = w + row * cols, pivot;
        for (i = row; i < n && !w[i * cols + c]; i++) {}
        if (i == n) continue;
        padici_words_swap((uint64_t *)top, (uint64_t *)(w + i * cols), cols);
        if (i != row) *sign = -*sign;
        pivot = top[c];
        for (i = row + 1; i < n; i++) {
            int64_t *const x = w + i * cols, factor = x[c];
            for (j = c + 1; j < cols; j++) {
                const padici_wide d = padici_wide_sub(padici_wide_mul_signed(pivot, x[j]),
                                                      padici_wide_mul_signed(factor, top[j]));
                x[j] = (int64_t)(padici_wide_shr(d, shift).low * inverse);
            }
            x[c] = 0;
        }
        shift = padici_ctz64((uint64_t)pivot);
        inverse = padici_inverse64((uint64_t)(pivot / (int64_t)(UINT64_C(1) << shift)));
        row++;
    }
    return row;
}

// LU of A modulo q with row exchanges, left-looking, so that an entry is one dot product and one
// reduction; columns without a pivot are left out. `inverse` are those of the pivots, order[i] is
// the row of A that row i is. Returns the rank; *det is det A mod q if that is n.
static uint32_t padici_lu(const padici_prime *f, const int64_t *a, uint32_t n, uint64_t *lu,
                          uint64_t *inverse, uint64_t *order, uint64_t *column, uint64_t *det)
{
    uint32_t row = 0, i, c;
    uint64_t x;
    *det = 1;
    for (i = 0; i < n * n; i++) lu[i] = padici_prime_of(f, padici_wide_signed(a[i]));
    for (i = 0; i < n; i++) order[i] = i;
    for (c = 0; c < n; c++) {
        uint32_t pivot = n;
        for (i = 0; i < n; i++) column[i] = lu[i * n + c];
        for (i = 0; i < n; i++) {
            x = padici_prime_mod(f, padici_dot(lu + i * n, column, i < row ? i : row));
            column[i] = padici_prime_sub(f, column[i], x);
            if (i >= row && pivot == n && column[i]) pivot = i;
        }
        if (pivot == n) continue; // U is not wanted any more, and L is in the columns before row
        inverse[row] = padici_inverse_mod(column[pivot], f->q);
        *det = padici_prime_mod(f, padici_wide_mul(*det, column[pivot]));
        if (pivot != row) *det = f->q - *det;
        padici_words_swap(column + row, column + pivot, 1);
        padici_words_swap(order + row, order + pivot, 1);
        padici_words_swap(lu + row * n, lu + pivot * n, n);
        for (i = 0; i < n; i++)
            lu[i * n + row] = i <= row ? column[i]
                                       : padici_prime_mod(f, padici_wide_mul(column[i],
                                                                             inverse[row]));
        row++;
    }
    return row;
}

// How many of the primes have a product above 2^bits.
static uint32_t padici_primes_for(uint32_t bits)
{
    return bits / 49 + 1; // the product is above 2^(49 k) (1 - 2^-30)
}

// A batch of systems (or of determinants: sides = 0), the work space of one, and where things lie.
typedef struct padici_solving {
    uint32_t n, sides; // a large determinant has a right side made up
    uint32_t limbs;    // of q, as many as any system of this size and dtype needs
    uint32_t verify;
    uint32_t bound; // 1: Hadamard's bounds, as ranks, and nothing else
    padic_dtype dtype;
    uint64_t batch, chunk;
    padici_integers matrix, right, numerator, denominator, det, rank, status;
    padic_num_call call; // MODP: its ring, and out
    padic_context *context;
    padici_num_space space;
    uint64_t *scratch;
    uint64_t pieces; // for so many workers there is scratch
    uint64_t each; // words of scratch of one worker
    uint32_t bits[PADICI_NUM_CHUNKS], wrong[PADICI_NUM_CHUNKS];
} padici_solving;

typedef struct padici_solve_room {
    int64_t *a, *b;     // A; B
    uint64_t *w;        // (A B) in elimination, or LU
    uint64_t *inverse, *order, *column, *rest; // n words each, rest: 2 n
    uint64_t *x, *sign; // solutions, `limbs` words each: limbs of q, then |numerator|; 1: negative
    uint64_t *d;        // the denominator
    uint64_t *temp;
    padic_num_ring *ring; // of q^k
    uint64_t *block;      // for a kernel, or NULL
} padici_solve_room;

// Words for a kernel that takes systems by the vector, with those to the next 64 bytes; 0: none
// does.
static uint64_t padici_block_words(const padici_solving *s)
{
    const uint64_t n = s->n, sides = s->sides;
    if (n < 3 || n > 8 || sides > 8) return 0;
    return 8 * (n * (n + 1) + (UINT64_C(2) << n) + 1) + PADIC_NUM_SYSTEMS * (1 + sides + n * sides);
}

// The parts of a worker's scratch; its words.
static uint64_t padici_solve_lay(const padici_solving *s, uint64_t *base, padici_solve_room *m)
{
    const uint64_t n = s->n, sides = s->sides, all = n * (n + sides);
    const uint64_t words = s->call.ring ? s->call.ring->words : 1, limbs = s->limbs;
    const uint64_t sizes[11] = {n * n,     n * sides,     all * words, n,         n,
                                n,         2 * n,         n * limbs,   n,         limbs + 2,
                                ((words > limbs ? words : limbs) + 2) * 15};
    uint64_t *at[11], total = 0;
    uint32_t i;
    for (i = 0; i < 11; i++) {
        at[i] = base ? base + total : NULL;
        total += sizes[i];
    }
    m->a = (int64_t *)at[0];
    m->b = (int64_t *)at[1];
    m->w = at[2];
    m->inverse = at[3];
    m->order = at[4];
    m->column = at[5];
    m->rest = at[6];
    m->x = at[7];
    m->sign = at[8];
    m->d = at[9];
    m->temp = at[10];
    m->ring = (padic_num_ring *)(void *)(base ? base + total : NULL);
    total += (sizeof *m->ring + 7) / 8;
    m->block = base && padici_block_words(s) ? base + total : NULL;
    return total + padici_block_words(s);
}

// x / d where d divides x, |x / d| < 2^63.
PADICI_INLINE int64_t padici_divide_exact(padici_wide x, int64_t d)
{
    const uint32_t shift = padici_ctz64((uint64_t)d);
    const uint64_t odd = (uint64_t)(d / (int64_t)(UINT64_C(1) << shift));
    return (int64_t)(padici_wide_shr(x, shift).low * padici_inverse64(odd));
}

// One right side after padici_bareiss(): det x_i = (det b_i - sum of a_ij (det x_j)) / a_ii from
// the last row up, all of them minors; then the common factor goes.
static void padici_small_side(const padici_solving *s, padici_solve_room *m, uint32_t side)
{
    const uint32_t n = s->n, cols = n + s->sides;
    const int64_t *const w = (const int64_t *)m->w, det = w[(n - 1) * cols + n - 1];
    int64_t *const y = (int64_t *)m->column;
    uint64_t g = padici_num_magnitude(det);
    uint32_t i, j;
    for (i = n; i-- > 0;) {
        const int64_t *const row = w + i * cols;
        padici_wide x = padici_wide_mul_signed(det, row[n + side]);
        for (j = i + 1; j < n; j++)
            x = padici_wide_sub(x, padici_wide_mul_signed(row[j], y[j]));
        y[i] = i + 1 == n ? row[n + side] : padici_divide_exact(x, row[i]);
    }
    for (i = 0; i < n && g > 1; i++) g = padici_num_gcd(g, padici_num_magnitude(y[i]));
    for (i = 0; i < n; i++) {
        const uint64_t x = padici_num_magnitude(y[i]);
        m->x[i] = g > 1 ? x / g : x;
        m->sign[i] = (y[i] < 0) != (det < 0);
    }
    m->d[0] = padici_num_magnitude(det) / g;
}

// x = sum q^i (A^-1 r_i mod q) for one right side: k limbs of each unknown.
static void padici_lift(const padici_prime *f, const padici_solving *s, padici_solve_room *m,
                        uint32_t side, uint32_t k)
{
    const uint32_t n = s->n;
    uint64_t *const y = m->column;
    const uint64_t low = padici_inverse64(f->q); // of q modulo 2^128: one more step
    padici_wide inverse = padici_wide_mul(low, f->q), acc;
    uint32_t i, j, step;
    inverse = padici_wide_sub(padici_wide_make(2, 0), inverse);
    inverse = padici_wide_mul_low(padici_wide_make(low, 0), inverse);
    for (i = 0; i < n; i++)
        padici_wide_store(m->rest + 2 * i, padici_wide_signed(m->b[i * s->sides + side]));
    for (step = 0; step < k; step++) {
        for (i = 0; i < n; i++) {
            const uint64_t r = padici_prime_of(f, padici_wide_load(m->rest + 2 * m->order[i]));
            acc = padici_dot(m->w + i * n, y, i);
            y[i] = padici_prime_sub(f, r, padici_prime_mod(f, acc));
        }
        for (i = n; i-- > 0;) {
            acc = padici_dot(m->w + i * n + i + 1, y + i + 1, n - 1 - i);
            acc.low = padici_prime_sub(f, y[i], padici_prime_mod(f, acc));
            y[i] = padici_prime_mod(f, padici_wide_mul(acc.low, m->inverse[i]));
            m->x[i * k + step] = y[i];
        }
        for (i = 0; i < n; i++) {
            acc = padici_wide_load(m->rest + 2 * i);
            for (j = 0; j < n; j++)
                acc = padici_wide_sub(acc, padici_wide_mul_signed(m->a[i * n + j], (int64_t)y[j]));
            padici_wide_store(m->rest + 2 * i, padici_wide_mul_low(acc, inverse));
        }
    }
}

// The solution from its limbs: the least d with all d x_i below 2^bits_n, found one x_i after the
// other, then the numerators d x_i. That they exist is proven; 0 if the proof is wrong.
static int padici_solve_join(padici_solve_room *m, uint32_t n, uint32_t k,
                             const padici_bounds *bounds)
{
    padici_joint j;
    uint32_t i;
    padici_joint_begin(&j, m->ring, bounds, m->temp, m->d, k + 2);
    for (i = 0; i < n; i++)
        if (!padici_joint_numerator(&j, m->x + i * k, k) && !padici_joint_extend(&j)) return 0;
    for (i = 0; i < n; i++) {
        const int sign = padici_joint_numerator(&j, m->x + i * k, k);
        if (!sign) return 0;
        m->sign[i] = sign < 0;
        padici_words_copy(m->x + i * k, k, j.x, j.words);
    }
    return 1;
}

// A x = d b, exactly?
static int padici_verify(const padici_solving *s, const padici_solve_room *m, uint32_t side,
                         uint32_t words)
{
    const uint32_t n = s->n, all = words + 2;
    uint64_t *const sum = m->temp;
    uint32_t i, j;
    for (i = 0; i < n; i++) { // modulo 2^(64 all), far beyond either side
        memset(sum, 0, all * sizeof *sum);
        for (j = 0; j <= n; j++) {
            const int64_t a = j < n ? m->a[i * n + j] : m->b[i * s->sides + side];
            const uint64_t *const x = j < n ? m->x + j * words : m->d;
            const int negative = (a < 0) != (j < n ? m->sign[j] != 0 : 1);
            const uint64_t carry =
                negative ? padici_words_sub(sum, x, padici_num_magnitude(a), words)
                         : padici_words_add(sum, x, padici_num_magnitude(a), words);
            uint64_t c = sum[words];
            sum[words] = negative ? c - carry : c + carry;
            sum[words + 1] += negative ? 0 - (uint64_t)(c < carry) : sum[words] < c;
        }
        if (padici_words_bits(sum, all)) return 0;
    }
    return 1;
}

// |det A| in m->x; 1: it is negative. A divisor d is known, the denominator m->d of a right side (1
// without one). c = det A / d by CRT, modulo primes that do not divide d, M their product so far:
// Garner's step c += M ((det / d - c) / M mod q). Either fits in `words` words.
static int padici_det_modular(const padici_solving *s, padici_solve_room *m, uint32_t bits,
                              uint32_t words)
{
    uint64_t *const x = m->temp, *const product = x + words, *const rest = product + words;
    const uint32_t known = padici_words_bits(m->d, words) - 1; // d >= 2^known
    const uint32_t count = padici_primes_for(bits > known ? bits - known + 1 : 1);
    uint32_t i, used = 0;
    int negative;
    memset(x, 0, 2 * words * sizeof *x);
    product[0] = 1;
    for (i = 0; used < count; i++) {
        const padici_prime f = padici_prime_make(i);
        const uint64_t d = padici_words_divide(NULL, m->d, words, f.q);
        uint64_t step, det, done = padici_words_divide(NULL, product, words, f.q);
        if (!d) continue;
        if (padici_lu(&f, m->a, s->n, m->w, m->inverse, m->order, m->column, &det) < s->n) det = 0;
        done = padici_prime_mod(&f, padici_wide_mul(done, d)); // (det - c d) / (M d)
        step = padici_words_divide(NULL, x, words, f.q);
        step = padici_prime_sub(&f, det, padici_prime_mod(&f, padici_wide_mul(step, d)));
        step = padici_prime_mod(&f, padici_wide_mul(step, padici_inverse_mod(done, f.q)));
        padici_words_add(x, product, step, words);
        padici_words_scale(product, f.q, 0, words);
        used++;
    }
    padici_words_copy(rest, words, product, words); // the other residue, M - c
    padici_words_sub(rest, x, 1, words);
    negative = padici_words_less(rest, x, words);
    padici_words_mul(rest + words, negative ? rest : x, words, m->d, words);
    padici_words_copy(m->x, words, rest + words, words);
    return negative;
}

// MODP: Gauss and Jordan with units as pivots; the status bits.
static uint32_t padici_solve_modp(const padici_solving *s, padici_solve_room *m, uint64_t index,
                                  padic_num_call *call)
{
    const padic_num_ring *r = s->call.ring;
    const uint32_t n = s->n, cols = n + s->sides, words = r->words;
    const uint64_t width = (uint64_t)cols * words;
    uint64_t *const temp = m->temp, *const factor = temp + 2 * words, *const u = factor + words;
    uint32_t row = 0, c, i, j;
    padici_cell x = {0, 0, 0, NULL};
    for (i = 0; i < n; i++)
        for (j = 0; j < cols; j++) {
            const int64_t a = j < n ? m->a[i * n + j] : m->b[i * s->sides + j - n];
            uint64_t *const e = m->w + i * width + j * words;
            padici_ring_set(r, e, padici_num_magnitude(a));
            if (a < 0) padici_ring_neg(r, e, e);
        }
    for (c = 0; c < n; c++) {
        uint64_t *const top = m->w + row * width;
        for (i = row; i < n && !padici_ring_digit(r, m->w + i * width + c * words); i++) {}
        if (i == n) continue;
        padici_words_swap(top, m->w + i * width, width);
        padici_ring_inv(r, factor, top + c * words, temp);
        for (j = c; j < cols; j++) {
            padici_ring_mul(r, u, top + j * words, factor);
            padici_ring_copy(r, top + j * words, u);
        }
        for (i = 0; i < n; i++) {
            uint64_t *const other = m->w + i * width;
            if (i == row) continue;
            padici_ring_copy(r, factor, other + c * words);
            for (j = c; j < cols; j++) {
                padici_ring_mul(r, u, factor, top + j * words);
                padici_ring_sub(r, other + j * words, other + j * words, u);
            }
        }
        row++;
    }
    if (s->rank.data) ((uint32_t *)s->rank.data)[index] = row;
    for (i = 0; i < n * s->sides; i++) {
        x.u = m->w + i / s->sides * width + (n + i % s->sides) * words;
        x.n = r->precision;
        x.v = 0;
        x.bits = row < n ? PADIC_NUM_NONUNIT : 0;
        if (row < n) memset(x.u, 0, words * sizeof *x.u);
        padici_cell_store(call, index * n * s->sides + i, &x);
    }
    return row < n ? PADIC_NUM_NONUNIT : 0;
}

// det A after padici_bareiss(), with the sign of its row exchanges, or (sign 0) modulo primes.
static uint32_t padici_det_write(const padici_solving *s, padici_solve_room *m, uint64_t index,
                                 int sign)
{
    const uint32_t n = s->n, last = (n - 1) * (n + s->sides) + n - 1;
    uint32_t words = 1, bits;
    int negative;
    if (sign) {
        const int64_t det = ((const int64_t *)m->w)[last];
        m->x[0] = padici_num_magnitude(det);
        negative = (det < 0) != (sign < 0);
    } else {
        bits = padici_hadamard(m->a, PADIC_I64, 0, n, 1);
        words = padici_primes_for(bits + 1) * 49 / 64 + 2;
        if (!s->sides) memset(m->d, 0, words * sizeof *m->d);
        if (!s->sides) m->d[0] = 1;
        negative = padici_det_modular(s, m, bits, words);
    }
    return padici_integer_set(&s->det, index, m->x, words, negative);
}

// Chooses the prime of a large system. 0: det A = 0, and *rank is proven by minors modulo primes
// whose product is beyond their bound.
static int padici_solve_prime(const padici_solving *s, padici_solve_room *m, uint32_t bits,
                              padici_prime *f, uint32_t *rank)
{
    const uint32_t count = padici_primes_for(bits);
    uint32_t i;
    uint64_t det;
    *rank = 0;
    for (i = 0; i < count && *rank < s->n; i++) {
        uint32_t here;
        *f = padici_prime_make(i);
        here = padici_lu(f, m->a, s->n, m->w, m->inverse, m->order, m->column, &det);
        if (here > *rank) *rank = here;
    }
    return *rank == s->n;
}

// Writes one right side from m->x, m->sign and m->d, `words` words each (no solution: 0).
static uint32_t padici_side_write(const padici_solving *s, const padici_solve_room *m,
                                  uint64_t index, uint32_t side, uint32_t words)
{
    const uint64_t first = index * s->n * s->sides + side;
    uint32_t i, bits;
    if (!s->numerator.data) return 0;
    bits = padici_integer_set(&s->denominator, index * s->sides + side, m->d, words, 0);
    for (i = 0; i < s->n; i++)
        bits |= padici_integer_set(&s->numerator, first + i * s->sides, m->x + i * words, words,
                                   m->sign[i] != 0);
    for (i = 0; bits && i < s->n; i++) // one too wide: none
        padici_integer_set(&s->numerator, first + i * s->sides, NULL, 0, 0);
    if (bits)
        padici_integer_set(&s->denominator, index * s->sides + side, NULL, 0, 0);
    return bits;
}

// A quick bound: entries below 2^b, so minors below (2^b sqrt(n))^n.
static int padici_solve_tiny(const padici_solving *s, const padici_solve_room *m)
{
    const uint32_t n = s->n;
    uint64_t a = 0, b = 0;
    uint32_t i, log = 0;
    for (i = 0; i < n * n; i++) a |= padici_num_magnitude(m->a[i]);
    for (i = 0; i < n * s->sides; i++) b |= padici_num_magnitude(m->b[i]);
    while (1u << log < n) log++;
    a = 64 - padici_clz64(a | 1);
    b = 64 - padici_clz64(b | 1);
    return (n - 1) * a + (a > b ? a : b) + (n * log + 1) / 2 <= 62;
}

static uint32_t padici_solve_large(const padici_solving *s, padici_solve_room *m, uint64_t index,
                                   const padici_scale *others, uint32_t all, uint32_t *rank,
                                   uint32_t *wrong)
{
    padici_prime f = padici_prime_make(0);
    uint32_t side, bits = 0;
    if (!padici_solve_prime(s, m, all, &f, rank)) return PADIC_NUM_DIV0;
    for (side = 0; side < s->sides; side++) {
        const padici_scale b = padici_norm(m->b, PADIC_I64, side, s->n, s->sides, 1);
        padici_bounds bounds = {0, 0, 0, {0, 0}, {0, 0}, 0};
        padic_num_ring_options options = {PADIC_NUM_RX, 0};
        uint32_t k;
        bounds.bits_n = padici_scale_bits(padici_scale_mul(*others, b));
        bounds.bits_d = all;
        k = padici_primes_for(bounds.bits_n + all + 1);
        padici_lift(&f, s, m, side, k);
        padici_ring_make(m->ring, f.q, k, &options, 0);
        if (!padici_solve_join(m, s->n, k, &bounds) || (s->verify && !padici_verify(s, m, side, k)))
            *wrong = 1;
        bits |= padici_side_write(s, m, index, side, k);
    }
    if (s->det.data) bits |= padici_det_write(s, m, index, 0);
    return bits;
}

// One system, or one determinant. Returns the status bits.
static uint32_t padici_solve_one(const padici_solving *s, padici_solve_room *m, uint64_t index,
                                 padic_num_call *call, uint32_t *wrong)
{
    const uint32_t n = s->n, sides = s->sides, cols = n + sides;
    padici_scale others = {0, 0};
    uint32_t i, j, rank = 0, all = 0, bits = 0;
    int tiny, sign;
    for (i = 0; i < n * n; i++)
        m->a[i] = padici_integer(s->matrix.data, s->dtype, index * n * n + i);
    for (i = 0; i < n * sides; i++)
        m->b[i] = s->right.data ? padici_integer(s->right.data, s->dtype, index * n * sides + i)
                                : i == 0;
    if (call->ring) return padici_solve_modp(s, m, index, call);
    tiny = padici_solve_tiny(s, m);
    if (!tiny && !sides) {
        tiny = padici_hadamard(m->a, PADIC_I64, 0, n, 1) <= 63;
    } else if (!tiny) {
        all = padici_solve_bits(m->a, n, &others);
        tiny = all <= 63;
        for (i = 0; tiny && i < sides; i++)
            tiny = padici_scale_bits(padici_scale_mul(
                        others, padici_norm(m->b, PADIC_I64, i, n, sides, 1))) <= 63;
    }
    if (tiny) {
        int64_t *const w = (int64_t *)m->w;
        for (i = 0; i < n; i++)
            for (j = 0; j < cols; j++)
                w[i * cols + j] = j < n ? m->a[i * n + j] : m->b[i * sides + j - n];
        rank = padici_bareiss(w, n, cols, &sign);
        if (rank < n && sides) bits = PADIC_NUM_DIV0;
        for (i = 0; rank == n && i < sides; i++) {
            padici_small_side(s, m, i);
            if (s->verify && !padici_verify(s, m, i, 1)) *wrong = 1;
            bits |= padici_side_write(s, m, index, i, 1);
        }
        if (s->det.data) bits |= padici_det_write(s, m, index, sign);
    } else if (sides) {
        bits = padici_solve_large(s, m, index, &others, all, &rank, wrong);
    } else {
        bits = padici_det_write(s, m, index, 0);
    }
    if (bits & PADIC_NUM_DIV0) {
        for (i = 0; i < sides; i++) padici_side_write(s, m, index, i, 0);
        if (s->det.data) padici_integer_set(&s->det, index, NULL, 0, 0);
    }
    if (s->rank.data) ((uint32_t *)s->rank.data)[index] = rank;
    return s->numerator.data ? bits : bits & ~(uint32_t)PADIC_NUM_DIV0;
}

// Systems [index, index + count) by a kernel. 0: there is none.
static int padici_solve_block(const padici_solving *s, const padici_solve_room *m, uint64_t index,
                              uint32_t count, padic_num_systems *k)
{
    const size_t n = s->n, size = padic_dtype_size(s->dtype);
    uint64_t *w;
    if (!m->block || count < 3) return 0; // a vector takes as long as three systems, or more
    w = (uint64_t *)(void *)(((uintptr_t)m->block + 63) & ~(uintptr_t)63);
    memset(k, 0, sizeof *k);
    k->matrix = (const char *)s->matrix.data + index * n * n * size;
    if (s->sides) k->right = (const char *)s->right.data + index * n * s->sides * size;
    k->dtype = s->dtype;
    k->n = s->n;
    k->sides = s->sides;
    k->count = count;
    k->reduce = !s->call.ring;
    k->work = w;
    k->det = (int64_t *)(w + 8 * (n * (n + 1) + ((size_t)2 << n)));
    k->denominator = k->det + PADIC_NUM_SYSTEMS;
    k->numerator = k->denominator + (size_t)PADIC_NUM_SYSTEMS * s->sides;
    return padici_kernel(s->context, PADIC_KERNEL_NUM_SYSTEMS, k) == PADIC_OK;
}

// x of system k of a block modulo p^N, det A being a unit. 0: it is none.
static int padici_done_modp(const padici_solving *s, padici_solve_room *m, uint64_t index,
                            const padic_num_systems *k, uint32_t at, padic_num_call *call)
{
    const padic_num_ring *r = s->call.ring;
    const uint32_t words = r->words, all = s->n * s->sides;
    uint64_t *const inverse = m->temp + 2 * words, *const y = inverse + words;
    uint32_t i;
    padici_cell x = {0, 0, 0, NULL};
    padici_ring_set(r, y, padici_num_magnitude(k->det[at]));
    if (!padici_ring_digit(r, y)) return 0;
    padici_ring_inv(r, inverse, y, m->temp);
    x.n = r->precision;
    x.u = m->w;
    for (i = 0; i < all; i++) {
        const int64_t a = k->numerator[i * PADIC_NUM_SYSTEMS + at];
        padici_ring_set(r, y, padici_num_magnitude(a));
        if (a < 0) padici_ring_neg(r, y, y);
        padici_ring_mul(r, m->w, y, inverse);
        padici_cell_store(call, index * all + i, &x);
    }
    return 1;
}

// Writes system `at` of a block, the system `index` of all. 0: it is to be done alone.
static int padici_solve_done(const padici_solving *s, padici_solve_room *m, uint64_t index,
                             const padic_num_systems *k, uint32_t at, padic_num_call *call,
                             uint32_t *bits, uint32_t *wrong)
{
    const uint32_t n = s->n, sides = s->sides;
    const int64_t det = k->det[at];
    uint32_t i, side;
    *bits = 0;
    if (!det || (call->ring && !padici_done_modp(s, m, index, k, at, call))) return 0;
    for (i = 0; s->verify && i < n * (n + sides); i++)
        if (i < n * n)
            m->a[i] = padici_integer(s->matrix.data, s->dtype, index * n * n + i);
        else
            m->b[i - n * n] =
                padici_integer(s->right.data, s->dtype, index * n * sides + i - n * n);
    for (side = 0; !call->ring && side < sides; side++) {
        const int64_t *const x = k->numerator + side * PADIC_NUM_SYSTEMS + at;
        const int64_t d = k->denominator[side * PADIC_NUM_SYSTEMS + at];
        const uint64_t first = index * n * sides + side;
        const uint32_t step = sides * PADIC_NUM_SYSTEMS;
        if (!s->verify && s->numerator.dtype == PADIC_I64 && s->denominator.dtype == PADIC_I64) {
            ((int64_t *)s->denominator.data)[index * sides + side] = d; // mostly
            for (i = 0; i < n; i++)
                ((int64_t *)s->numerator.data)[first + i * sides] = x[i * step];
            continue;
        }
        m->d[0] = (uint64_t)d;
        for (i = 0; i < n; i++) {
            m->x[i] = padici_num_magnitude(x[i * step]);
            m->sign[i] = x[i * step] < 0;
        }
        if (s->verify && !padici_verify(s, m, side, 1)) *wrong = 1;
        *bits |= padici_side_write(s, m, index, side, 1);
    }
    m->x[0] = padici_num_magnitude(det);
    if (s->det.data) *bits |= padici_integer_set(&s->det, index, m->x, 1, det < 0);
    if (s->rank.data) ((uint32_t *)s->rank.data)[index] = n;
    return 1;
}

static void padici_solve_chunk(void *arg, uint32_t index)
{
    padici_solving *s = (padici_solving *)arg;
    padic_num_call call = s->call;
    padic_num_systems k;
    padici_solve_room m;
    uint64_t i = index * s->chunk, end = i + s->chunk < s->batch ? i + s->chunk : s->batch;
    uint32_t at = 0, count = 0, bits;
    int block = 0;
    for (; s->bound && i < end; i++)
        ((uint32_t *)s->rank.data)[i] =
            padici_hadamard(s->matrix.data, s->dtype, i * s->n * s->n, s->n, 0);
    if (s->bound) return;
    padici_solve_lay(s, s->scratch + index * s->each, &m);
    for (; i < end; i++, at++) {
        if (at == count) {
            count = end - i < PADIC_NUM_SYSTEMS ? (uint32_t)(end - i) : PADIC_NUM_SYSTEMS;
            block = padici_solve_block(s, &m, i, count, &k);
            at = 0;
        }
        if (!block || !padici_solve_done(s, &m, i, &k, at, &call, &bits, &s->wrong[index]))
            bits = padici_solve_one(s, &m, i, &call, &s->wrong[index]);
        if (s->status.data) ((uint8_t *)s->status.data)[i] = (uint8_t)bits;
        s->bits[index] |= bits;
    }
}

// The sizes of a batch, and how many limbs its systems may need: one more than Hadamard's bound
// asks for, since each step to it rounds up.
static padic_result padici_solve_sizes(padic_context *context, padici_solving *s,
                                       const padic_tensor *matrix, const padic_tensor *right)
{
    const uint32_t rank = matrix->rank;
    uint64_t all;
    uint32_t log = 0, bits, axis;
    padic_result result = padici_tensor_check_shape(matrix, &all);
    memset(s, 0, sizeof *s);
    if (result) return padici_blame(context, result, "matrix", NULL, NULL);
    if (matrix->dtype != PADIC_I32 && matrix->dtype != PADIC_I64)
        return padici_blame(context, PADIC_ERROR_DTYPE, "matrix", NULL, "must be I32 or I64");
    if (rank < 2 || rank > 3 || matrix->shape[rank - 1] != matrix->shape[rank - 2])
        return padici_blame(context, PADIC_ERROR_MISMATCH, "matrix", NULL,
                            "must have the shape (n, n) or (batch, n, n)");
    if (!matrix->shape[rank - 1] || matrix->shape[rank - 1] > 64)
        return padici_blame(context, PADIC_ERROR_LIMIT, "matrix", NULL,
                            "must be n x n with n from 1 to 64");
    s->n = (uint32_t)matrix->shape[rank - 1];
    s->batch = rank == 3 ? matrix->shape[0] : 1;
    s->dtype = matrix->dtype;
    if (right) {
        int fits = 1;
        if ((result = padici_tensor_check_shape(right, &all)) != PADIC_OK)
            return padici_blame(context, result, "right", NULL, NULL);
        if (right->dtype != matrix->dtype)
            return padici_blame(context, PADIC_ERROR_DTYPE, "right", NULL,
                                "must have the dtype of `matrix`");
        if (right->rank != rank && right->rank != rank - 1) fits = 0;
        for (axis = 0; fits && axis + 1 < rank; axis++)
            fits = right->shape[axis] == matrix->shape[axis];
        if (!fits)
            return padici_blame(context, PADIC_ERROR_MISMATCH, "right", NULL,
                                "must have the shape (n), (n, sides) or those with `batch` before");
        all = right->rank == rank ? right->shape[rank - 1] : 1;
        if (!all || all > 1u << 20)
            return padici_blame(context, PADIC_ERROR_LIMIT, "right", NULL,
                                "must have 1 to 2^20 sides");
        s->sides = (uint32_t)all;
    } else if (s->n >= 24) {
        s->sides = 1; // its denominator is most of det A, and costs less than so many primes
    }
    while (1u << log < s->n) log++;
    bits = s->n * (s->dtype == PADIC_I32 ? 31 : 63) + (s->n * log + 1) / 2 + 1;
    s->limbs = padici_primes_for((s->sides ? 2 * bits : bits) + 2) + 1;
    return PADIC_OK;
}

// The tensors of a call: as integers all of them, inputs too.
static padic_result padici_solve_tensors(padic_context *context, const padic_num_solve_desc *desc,
                                         padici_solving *s, padici_num_range *list,
                                         uint32_t *ranges)
{
    const uint32_t wide = PADICI_SIGNED | PADICI_UNSIGNED;
    const uint32_t rank = 1u << PADIC_U32 | 1u << PADIC_I32;
    const uint64_t sides = s->batch * s->sides, count = sides * s->n;
    const uint32_t det_only = !desc->right.dtype;
    const struct {
        const padic_tensor *t;
        uint64_t count;
        uint32_t allowed, optional;
        padici_integers *x;
        const char *name;
    } all[7] = {
        {&desc->matrix, s->batch * s->n * s->n, 1u << s->dtype, 0, &s->matrix, "matrix"},
        {&desc->right, count, 1u << s->dtype, det_only, &s->right, "right"},
        {&desc->numerator, count, wide, det_only || s->call.ring, &s->numerator, "numerator"},
        {&desc->denominator, sides, wide, det_only || s->call.ring, &s->denominator, "denominator"},
        {&desc->det, s->batch, wide, !det_only, &s->det, det_only ? "out" : "det"},
        {&desc->rank, s->batch, rank, 1, &s->rank, "rank"},
        {&desc->status, s->batch, 1u << PADIC_U8, 1, &s->status, "status"}};
    uint32_t i;
    for (i = 0; i < 7; i++) {
        padic_result result = padici_integers_of(context, &s->space, all[i].t, all[i].count,
                                                 all[i].allowed, all[i].x, list, ranges);
        if (!result && s->batch && !all[i].optional && !all[i].x->data)
            result = PADIC_ERROR_ARGUMENT;
        if (result) return padici_blame(context, result, all[i].name, NULL, NULL);
        if (i < 2 && *ranges) list[*ranges - 1].out = 0; // inputs
    }
    return PADIC_OK;
}

// Sizes, and the ring of MODP. `right` NULL: determinants.
static padic_result padici_solve_begin(padic_context *context, padici_solving *s,
                                       const padic_num_solve_desc *desc, const padic_tensor *right)
{
    const padic_num_array *out = &desc->out;
    const padic_result result = padici_solve_sizes(context, s, &desc->matrix, right);
    if (result || !out->ring) return result;
    if (!padici_ring_is(out->ring))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "out", "ring",
                            "was not made by num_ring_init");
    if (out->ring->composite)
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, "out", "ring",
                            "has a radix that is no prime");
    if (out->model != PADIC_NUM_RING)
        return padici_blame(context, PADIC_ERROR_RING, "out", "model", "must be RING");
    if (out->count != s->batch * s->n * s->sides)
        return padici_blame(context, PADIC_ERROR_MISMATCH, "out", "count",
                            "must be the number of elements of `right`");
    s->call.ring = out->ring;
    return PADIC_OK;
}

// All systems, in host memory.
static void padici_solve_pieces(padici_solving *s, uint32_t *bits, uint32_t *wrong)
{
    const padic_jobs *jobs = padici_jobs(s->context);
    uint64_t pieces = jobs && jobs->workers > 1 ? jobs->workers : 1;
    uint32_t i;
    if (pieces > PADICI_NUM_CHUNKS) pieces = PADICI_NUM_CHUNKS;
    if (pieces > s->pieces) pieces = s->pieces;
    s->chunk = (s->batch + pieces - 1) / pieces;
    padici_parallel(jobs, (uint32_t)((s->batch + s->chunk - 1) / s->chunk), padici_solve_chunk, s);
    for (i = 0; i < PADICI_NUM_CHUNKS; i++) {
        *bits |= s->bits[i];
        *wrong |= s->wrong[i];
    }
}

// All systems of a device, on copies.
static padic_result padici_solve_staged(padici_solving *s, padici_num_task *task, uint32_t *bits,
                                        uint32_t *wrong)
{
    padic_context *const context = s->context;
    void **pointers[8];
    uint64_t at[PADICI_NUM_PLANES + 2], size = 0;
    uint32_t i, block;
    char *base;
    padic_result result;
    if (context->strict)
        return padici_fail_in(context, PADIC_ERROR_NOT_SUPPORTED, "num_solve",
                              "not done by the device, and this context is strict");
    for (i = 0; i < task->range_count; i++) {
        at[i] = UINT64_MAX;
        if (!((uint64_t)task->ranges[i].begin >> 56) ||
            (uint64_t)task->ranges[i].begin >> 56 > s->space.mems)
            continue;
        at[i] = size;
        size += (padici_num_range_size(&task->ranges[i]) + 63) & ~UINT64_C(63);
    }
    result = padici_pool_take(context, &context->pools[1], size, &block);
    if (result) return result;
    base = (char *)padici_mem_at(context->pools[1].blocks[block].mem, 0);
    result = padici_num_copies(task, base, at, 0);
    pointers[0] = &s->matrix.data;
    pointers[1] = &s->right.data;
    pointers[2] = &s->numerator.data;
    pointers[3] = &s->denominator.data;
    pointers[4] = &s->det.data;
    pointers[5] = &s->rank.data;
    pointers[6] = &s->status.data;
    pointers[7] = &s->call.out.unit;
    for (i = 0; i < 8; i++) padici_num_redirect(task, base, at, pointers[i]);
    if (!result) padici_solve_pieces(s, bits, wrong);
    if (!result) result = padici_num_copies(task, base, at, 1);
    padici_pool_give(context, &context->pools[1], block);
    if (!result && !context->stats.kernels.fallbacks++)
        padici_log_write(&context->log, PADIC_LOG_WARNING, 0,
                         "num: an operation on buffers was done on the host (said once)");
    return result;
}

// All systems of a device, by its driver or on copies.
static PADICI_NOINLINE padic_result padici_solve_device(padici_solving *s,
                                                        const padici_num_range *list,
                                                        uint32_t ranges, uint32_t report,
                                                        uint32_t *bits, uint32_t *wrong)
{
    padici_num_task task;
    padic_result result;
    memset(&task, 0, sizeof task);
    task.context = s->context;
    task.call = s->call;
    task.call.kernel = PADIC_KERNEL_NUM_SOLVE;
    task.call.options = s;
    task.space = s->space;
    task.report = report || s->verify;
    task.count = s->batch;
    memcpy(task.ranges, list, ranges * sizeof *list);
    task.range_count = ranges;
    result = padici_drive(s->context, PADIC_KERNEL_NUM_SOLVE, &task, 1);
    if (!result) result = padici_drive(s->context, PADIC_KERNEL_NUM_SOLVE, &task, 0);
    *bits = task.call.bits & (UINT32_MAX >> 1);
    *wrong = task.call.bits >> 31;
    if (result == PADIC_ERROR_NOT_SUPPORTED) result = padici_solve_staged(s, &task, bits, wrong);
    if (!result) s->context->stats.kernels.calls++;
    return result;
}

// Checks everything but `desc` itself, then runs.
static padic_result padici_solve_run(padic_context *context, const char *name,
                                     const padic_num_solve_desc *desc, const padic_tensor *right)
{
    const uint64_t size = desc->scratch_size / 8;
    padici_num_range list[16];
    padici_solving s;
    padici_solve_room m;
    uint32_t bits = 0, wrong = 0, ranges = 0;
    padic_result result = padici_solve_begin(context, &s, desc, right);
    if (!result) result = padici_solve_tensors(context, desc, &s, list, &ranges);
    if (!result && desc->verify > 1)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "verify", NULL, "must be 0 or 1");
    if (!result && s.call.ring) {
        result = padici_num_planes_in(context, &s.space, &desc->out, &s.call.out);
        padici_blame(context, result, "out", NULL, NULL);
        padici_num_ranges(s.call.ring, &s.call.out, desc->out.count, 1, list, &ranges);
    }
    s.each = padici_solve_lay(&s, NULL, &m);
    if (!result && (!desc->scratch || size < s.each))
        result = padici_blame(context, PADIC_ERROR_CAPACITY, "scratch", NULL,
                              "is missing or too small: see num_solve_bound or num_det_bound");
    if (!result && !padici_aligned(desc->scratch, 8))
        result = padici_blame(context, PADIC_ERROR_ALIGNMENT, "scratch", NULL, NULL);
    padici_num_range_add(list, &ranges, desc->scratch, desc->scratch_size, 0, 1);
    padici_num_range_add(list, &ranges, desc->sticky, sizeof *desc->sticky, 0, 1);
    if (!result && s.space.mems && s.space.host)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, NULL,
                              "tensors in host memory and on a device in one call");
    if (!result) result = padici_num_overlap(list, ranges);
    if (result) return padici_fault(context, result, name);
    if (!s.batch) return PADIC_OK;
    s.context = context;
    s.verify = desc->verify;
    s.scratch = (uint64_t *)desc->scratch;
    s.pieces = size / s.each;
    if (s.space.mems)
        result = padici_solve_device(&s, list, ranges, desc->sticky || !s.status.data, &bits,
                                     &wrong);
    else
        padici_solve_pieces(&s, &bits, &wrong);
    if (result) return result;
    if (desc->sticky) *desc->sticky |= bits;
    if (wrong) return padici_fail_in(context, PADIC_ERROR_SELF_TEST, name, "A x is not b: a fault");
    if (bits & PADIC_NUM_HARD && !desc->sticky && !s.status.data)
        return padici_fail_in(context, PADIC_ERROR_DOMAIN, name,
                              "a system has no result, and there is neither status nor sticky to "
                              "say which");
    return PADIC_OK;
}

static PADICI_NOINLINE size_t padici_solve_bound(const padic_num_solve_desc *desc,
                                                 const padic_tensor *right)
{
    padici_solving s;
    padici_solve_room m;
    uint64_t words;
    if (padici_solve_begin(NULL, &s, desc, right)) return 0;
    words = padici_solve_lay(&s, NULL, &m);
    return words > (size_t)-1 / 16 ? 0 : (size_t)words * sizeof(uint64_t);
}

PADIC_API size_t padic_num_solve_bound(const padic_num_solve_desc *desc)
{
    return desc ? padici_solve_bound(desc, &desc->right) : 0;
}

PADIC_API padic_result padic_num_solve(padic_context *context, const padic_num_solve_desc *desc)
{
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_solve", "desc is NULL");
    return padici_solve_run(context, "num_solve", desc, &desc->right);
}

// A determinant is a system without right sides.
static padic_num_solve_desc padici_det_desc(const padic_num_det_desc *desc)
{
    padic_num_solve_desc solve;
    memset(&solve, 0, sizeof solve);
    solve.matrix = desc->matrix;
    solve.det = desc->out;
    solve.status = desc->status;
    solve.sticky = desc->sticky;
    solve.scratch = desc->scratch;
    solve.scratch_size = desc->scratch_size;
    return solve;
}

PADIC_API size_t padic_num_det_bound(const padic_num_det_desc *desc)
{
    padic_num_solve_desc solve;
    if (!desc) return 0;
    solve = padici_det_desc(desc);
    return padici_solve_bound(&solve, NULL);
}

PADIC_API padic_result padic_num_det(padic_context *context, const padic_num_det_desc *desc)
{
    padic_num_solve_desc solve;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_det", "desc is NULL");
    solve = padici_det_desc(desc);
    return padici_solve_run(context, "num_det", &solve, NULL);
}

PADIC_API padic_result padic_num_hadamard(padic_context *context, const padic_tensor *bits,
                                          const padic_tensor *matrix)
{
    padici_num_range list[2];
    padici_solving s;
    uint32_t ranges = 0, unused = 0;
    padic_result result;
    if (!bits || !matrix)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_hadamard",
                              !bits ? "bits is NULL" : "matrix is NULL");
    result = padici_solve_sizes(context, &s, matrix, NULL);
    if (!result) {
        result = padici_integers_of(context, &s.space, matrix, s.batch * s.n * s.n, 1u << s.dtype,
                                    &s.matrix, list, &ranges);
        if (!result && s.batch && !s.matrix.data) result = PADIC_ERROR_ARGUMENT;
        padici_blame(context, result, "matrix", NULL, NULL);
    }
    if (!result) {
        result = padici_integers_of(context, &s.space, bits, s.batch,
                                    1u << PADIC_U32 | 1u << PADIC_I32, &s.rank, list, &ranges);
        if (!result && s.batch && !s.rank.data) result = PADIC_ERROR_ARGUMENT;
        padici_blame(context, result, "bits", NULL, NULL);
    }
    if (!result && s.space.mems && s.space.host)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "bits", NULL,
                              "and matrix lie apart, in host memory and on a device");
    if (!result && ranges) list[0].out = 0; // the matrix
    if (!result) result = padici_num_overlap(list, ranges);
    if (result) return padici_fault(context, result, "num_hadamard");
    if (!s.batch) return PADIC_OK;
    s.context = context;
    s.bound = 1;
    s.pieces = PADICI_NUM_CHUNKS;
    if (s.space.mems) return padici_solve_device(&s, list, ranges, 0, &unused, &unused);
    padici_solve_pieces(&s, &unused, &unused);
    return PADIC_OK;
}

// Rational reconstruction of arrays

// What a loop finds in call->options.
typedef struct padici_rational {
    padic_num_rational_mode mode;
    padici_bounds bounds;
    uint64_t vector;            // COMMON
    uint64_t fixed[2], unit[2]; // FIXED: d, and d / p^fixed_v
    uint32_t fixed_v;
    uint32_t limbs[2]; // numerators and denominators: planes of words, 0: plain integers
    padic_dtype dtype[2];
    uint64_t stride; // between planes
} padici_rational;

// Work space for one number, 24 parts, in the scratch of long numbers or here.
#define PADICI_EXACT_WORDS 12u
typedef struct padici_exact {
    uint64_t *at; // a residue, 15 parts of a padici_joint; over that from part 9 on 7 of n, 7 of d;
                  // and d of the joint
    uint32_t part;
    padici_big n, d;
    padici_joint joint;
    uint64_t local[24 * (PADICI_EXACT_WORDS + 2)];
} padici_exact;

static void padici_exact_begin(padici_exact *e, uint32_t words, void *scratch)
{
    e->at = words > PADICI_EXACT_WORDS ? (uint64_t *)scratch : e->local;
    e->part = words > PADICI_EXACT_WORDS ? words : PADICI_EXACT_WORDS + 2;
    e->n.w = e->at + 9 * e->part;
    e->d.w = e->at + 16 * e->part;
    e->n.n = e->d.n = 0;
    e->n.room = e->d.room = 7 * e->part;
}

static void padici_exact_set(padici_big *b, const uint64_t *x, uint32_t n)
{
    memmove(b->w, x, n * sizeof *x);
    b->n = n;
    padici_big_trim(b);
}

static uint32_t padici_rational_store(const padic_num_call *call, uint64_t i, padici_exact *e,
                                      int negative)
{
    const padici_rational *o = (const padici_rational *)call->options;
    uint32_t bits = padici_big_store(call->other[0], o->dtype[0], o->limbs[0], o->stride, i, &e->n,
                                     negative && e->n.n);
    if (call->other[1])
        bits |= padici_big_store(call->other[1], o->dtype[1], o->limbs[1], o->stride, i, &e->d, 0);
    return bits;
}

// Pair i is +-n p^v / d, or n / (d p^-v); 0 / 0 if `bits` or if either has no room.
static void padici_rational_put(padic_num_call *call, uint64_t i, padici_exact *e, int negative,
                                int64_t v, uint32_t bits)
{
    if (!bits && !padici_big_power(call->ring, v < 0 ? &e->d : &e->n, (uint64_t)(v < 0 ? -v : v)))
        bits = PADIC_NUM_RANGE;
    if (!bits) bits = padici_rational_store(call, i, e, negative);
    if (bits) {
        e->n.n = e->d.n = 0;
        padici_rational_store(call, i, e, 0);
    }
    padici_num_report(call, i, bits);
}

// One element, of all modes but COMMON.
static void padici_rational_one(padic_num_call *call, uint64_t i, const padici_cell *x,
                                const padici_bounds *bounds, padici_exact *e)
{
    const padic_num_ring *r = call->ring;
    const padici_rational *o = (const padici_rational *)call->options;
    const int fixed = o->mode == PADIC_NUM_RATIONAL_FIXED;
    int64_t v = x->v == PADIC_NUM_ZERO ? 0 : x->v;
    int sign = 1;
    padici_big_set(&e->n, 0);
    padici_big_set(&e->d, 1);
    if (fixed) padici_exact_set(&e->d, o->fixed, 2);
    if (x->v == PADIC_NUM_NAN) {
        padici_rational_put(call, i, e, 0, 0, x->bits);
        return;
    }
    if (x->v != PADIC_NUM_ZERO && fixed) {
        v += o->fixed_v;
        sign = v < 0 ? 0 : padici_joint_numerator(&e->joint, x->u, x->n);
        if (sign) padici_exact_set(&e->n, e->joint.x, e->joint.words);
    } else if (x->v != PADIC_NUM_ZERO) {
        sign = padici_fraction(r, x->u, x->n, bounds, e->n.w, e->d.w, e->at + e->part);
        e->n.n = e->d.n = sign ? r->words : 0;
        padici_big_trim(&e->n);
        padici_big_trim(&e->d);
    }
    padici_rational_put(call, i, e, sign < 0, v, sign ? 0 : PADIC_NUM_RATREC);
}

// Elements first to end - 1 over one denominator: d of their units, and the highest p^-v.
static void padici_rational_vector(padic_num_call *call, uint64_t first, uint64_t end,
                                   const padici_bounds *bounds, padici_exact *e, padici_cell *x)
{
    uint64_t i;
    int64_t low = 0; // the lowest valuation
    int found = 1;
    padici_joint_begin(&e->joint, call->ring, bounds, e->at + e->part, e->at + 23 * e->part,
                       e->part);
    for (i = first; i < end && found; i++) {
        padici_cell_load(call, &call->a, i, x);
        if (x->v == PADIC_NUM_ZERO || x->v == PADIC_NUM_NAN) continue;
        if (x->v < low) low = x->v;
        found = x->n > bounds->guard &&
                (padici_joint_numerator(&e->joint, x->u, x->n) || padici_joint_extend(&e->joint));
    }
    for (i = first; i < end && found; i++) {
        padici_cell_load(call, &call->a, i, x);
        if (x->v != PADIC_NUM_ZERO && x->v != PADIC_NUM_NAN)
            found = padici_joint_numerator(&e->joint, x->u, x->n);
    }
    for (i = first; i < end; i++) {
        int sign = 1;
        uint32_t bits = found ? 0 : PADIC_NUM_RATREC;
        padici_cell_load(call, &call->a, i, x);
        if (x->v == PADIC_NUM_NAN) bits = x->bits;
        padici_big_set(&e->n, 0);
        if (!bits && x->v != PADIC_NUM_ZERO) {
            sign = padici_joint_numerator(&e->joint, x->u, x->n);
            padici_exact_set(&e->n, e->joint.x, e->joint.words);
            if (!padici_big_power(call->ring, &e->n, (uint64_t)(x->v - low)))
                bits = PADIC_NUM_RANGE;
        }
        padici_exact_set(&e->d, e->joint.d, e->joint.words);
        if (!bits && !padici_big_power(call->ring, &e->d, (uint64_t)-low)) bits = PADIC_NUM_RANGE;
        padici_rational_put(call, i, e, sign < 0, 0, bits);
    }
}

static void padici_rational_each(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const padici_rational *o = (const padici_rational *)call->options;
    padici_bounds bounds = o->bounds;
    padici_exact e;
    padici_cell x;
    uint64_t i;
    uint32_t digits = 0; // that bounds are for
    padici_exact_begin(&e, r->words, call->scratch);
    x.u = e.at;
    if (o->mode == PADIC_NUM_RATIONAL_COMMON) {
        for (i = 0; i < call->count; i += o->vector)
            padici_rational_vector(call, i, i + o->vector, &bounds, &e, &x);
        return;
    }
    if (o->mode == PADIC_NUM_RATIONAL_FIXED) {
        padici_joint_begin(&e.joint, r, &bounds, e.at + e.part, e.at + 23 * e.part, e.part);
        padici_exact_set(&e.d, o->unit, 2);
        padici_ring_of_big(r, e.joint.ring_d, &e.d);
    }
    for (i = 0; i < call->count; i++) {
        padici_cell_load(call, &call->a, i, &x);
        if (x.n != digits && r->form < PADIC_NUM_RX && o->mode == PADIC_NUM_RATIONAL_BOUNDED) {
            digits = x.n; // square root and division once for many
            padici_bounds_wide(r, digits, &o->bounds, &bounds.most_n, &bounds.most_d);
        }
        padici_rational_one(call, i, &x, &bounds, &e);
    }
}

// One word: pairs of elements, so that one division runs while the other waits.
PADICI_INLINE void padici_rational_pair(uint64_t m, uint64_t most, uint64_t r1[2], uint64_t t1[2])
{
    uint64_t a0 = m, a1 = r1[0], s0 = 0, s1 = 1, b0 = m, b1 = r1[1], t0 = 0, t = 1, q, r;
#define PADICI_EUCLID(x0, x1, y0, y1) \
    do { \
        q = x0 / x1; \
        r = x0 - q * x1; \
        x0 = x1; \
        x1 = r; \
        r = y0 - q * y1; \
        y0 = y1; \
        y1 = r; \
    } while (0)
    while (a1 > most && b1 > most) {
        PADICI_EUCLID(a0, a1, s0, s1);
        PADICI_EUCLID(b0, b1, t0, t);
    }
    while (a1 > most) PADICI_EUCLID(a0, a1, s0, s1);
    while (b1 > most) PADICI_EUCLID(b0, b1, t0, t);
#undef PADICI_EUCLID
    r1[0] = a1;
    r1[1] = b1;
    t1[0] = s1; // two's complement
    t1[1] = t;
}

// RING and FLOAT below 2^64, I64 numerators in other[0] and denominators in other[1]; k is Nmax and
// stride Dmax, both at least 2, so that |t| < 2^63.
static void padici_rational_fast(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    int64_t *const numerators = (int64_t *)call->other[0];
    int64_t *const denominators = (int64_t *)call->other[1];
    const uint64_t last = r->p == 2 ? 0 : UINT64_MAX / r->p;
    uint64_t i, j, u[2], t[2];
    for (i = 0; i < call->count; i += 2) {
        const uint64_t pair = call->count - i < 2 ? 1 : 2;
        for (j = 0; j < 2; j++) u[j] = j < pair ? padici_word(r, call->a.unit, i + j) : 0;
        padici_rational_pair(r->base, (uint64_t)call->k, u, t);
        for (j = 0; j < pair; j++) {
            const int32_t v = call->a.val ? padici_val_load(&call->a, i + j) : 0;
            const uint32_t k = v < 0 ? 0u - (uint32_t)v : (uint32_t)v;
            const uint64_t d = t[j] >> 63 ? 0 - t[j] : t[j];
            const int p_divides = r->p == 2 ? !(d & 1) : d * r->inverse <= last;
            uint64_t n = u[j], e = d;
            uint32_t bits = d > call->stride || p_divides ? PADIC_NUM_RATREC : 0;
            if (v == PADIC_NUM_NAN) {
                bits = padici_val_raw(&call->a, i + j) == v
                           ? (uint32_t)padici_word(r, call->a.unit, i + j) & 255
                           : (uint32_t)PADIC_NUM_RANGE;
            } else if (v == PADIC_NUM_ZERO) {
                n = bits = 0;
                e = 1;
            } else if (v) {
                const uint64_t f = k < r->power_count && !r->power[k][1] ? r->power[k][0] : 0;
                const uint64_t x = v < 0 ? e : n;
                if (!bits && (!f || padici_mulhi64(x, f) || x * f >> 63)) bits = PADIC_NUM_RANGE;
                n = v < 0 ? n : x * f;
                e = v < 0 ? x * f : e;
            }
            if (bits) n = e = 0;
            numerators[i + j] = (int64_t)(t[j] >> 63 ? 0 - n : n);
            denominators[i + j] = (int64_t)e;
            padici_num_report(call, i + j, bits);
        }
    }
}

static void padici_rational_loop(padic_num_call *call)
{
    if (call->kernel == PADIC_KERNEL_NUM_TO_RATIONAL)
        padici_rational_fast(call);
    else
        padici_rational_each(call);
}

// Options from the desc; is it sound?
static padic_result padici_rational_options(padic_context *context,
                                            const padic_num_to_rational_desc *desc,
                                            padici_rational *o)
{
    const padic_num_ring *r = desc->in.ring;
    padici_wide rest, q;
    memset(o, 0, sizeof *o);
    if (!padici_ring_is(r))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "in", "ring",
                            "was not made by num_ring_init");
    if ((uint32_t)desc->mode > PADIC_NUM_RATIONAL_QUOTIENT)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "mode", NULL, "is none that there is");
    if (r->composite)
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, "in", "ring",
                            "has a radix that is no prime");
    o->mode = desc->mode;
    o->stride = desc->in.count;
    o->vector = desc->vector ? desc->vector : desc->in.count;
    o->bounds.guard = desc->guard == PADIC_NUM_NO_GUARD ? 0 : desc->guard ? desc->guard : 1;
    o->bounds.most_n = padici_wide_load(desc->most_numerator);
    o->bounds.most_d = padici_wide_load(desc->most_denominator);
    if (o->mode == PADIC_NUM_RATIONAL_QUOTIENT) {
        memset(&o->bounds, 0, sizeof o->bounds);
        o->bounds.quotient = desc->quotient ? desc->quotient : 1024 * (uint64_t)r->bits;
        return PADIC_OK;
    }
    if (o->mode == PADIC_NUM_RATIONAL_COMMON && desc->in.count % (o->vector ? o->vector : 1))
        return padici_blame(context, PADIC_ERROR_MISMATCH, "vector", NULL,
                            "must divide in.count");
    if (o->mode == PADIC_NUM_RATIONAL_FIXED) {
        q = padici_wide_load(desc->fixed);
        padici_wide_store(o->fixed, q);
        if (padici_wide_zero(q))
            return padici_blame(context, PADIC_ERROR_ARGUMENT, "fixed", NULL,
                                "is 0: give the denominator");
        for (;; o->fixed_v++) {
            padici_wide_store(o->unit, q);
            q = padici_wide_div(q, padici_wide_make(r->p, 0), &rest);
            if (!padici_wide_zero(rest)) break;
        }
        o->bounds.most_d = padici_wide_make(1, 0);
    }
    return PADIC_OK;
}

// Are the given bounds possible with all digits? And the fast path, if it will do.
static int padici_rational_bounds(const padic_num_to_rational_desc *desc, padici_rational *o,
                                  padici_num_task *task)
{
    const padic_num_ring *r = desc->in.ring;
    const padici_bounds *b = &o->bounds;
    const int given = !padici_wide_zero(b->most_n) || !padici_wide_zero(b->most_d);
    padici_wide n, d;
    uint64_t limit[6], product[8];
    int fit;
    if (b->quotient) return 1;
    if (r->form == PADIC_NUM_RX) { // limits of more than 5 words are beyond any bounds
        const uint32_t digits = r->precision > b->guard ? r->precision - b->guard : 0;
        if (!given || padici_power_bits(r->p, digits) > 320) return 1;
        padici_words_power(r, limit, NULL, digits, 6);
        return digits && padici_bounds_fit(b, limit, 6, product);
    }
    fit = padici_bounds_wide(r, r->precision, b, &n, &d);
    if (given && !fit) return 0;
    if (o->mode == PADIC_NUM_RATIONAL_BOUNDED && r->form < PADIC_NUM_W128 && r->base &&
        desc->in.model != PADIC_NUM_BALL && n.low > 1 && d.low > 1 && !(n.high | d.high) &&
        o->dtype[0] == PADIC_I64 && o->dtype[1] == PADIC_I64) {
        task->call.kernel = PADIC_KERNEL_NUM_TO_RATIONAL;
        task->call.k = (int64_t)n.low;
        task->call.stride = d.low;
    }
    return 1;
}

PADIC_API padic_result padic_num_to_rational(padic_context *context,
                                             const padic_num_to_rational_desc *desc)
{
    padici_num_task task;
    padici_rational o;
    padic_result result;
    uint32_t j;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_to_rational", "desc is NULL");
    padici_num_task_begin(&task, "num_to_rational", PADIC_KERNEL_NUM_RATIONAL, padici_rational_loop,
                          NULL, &desc->in, NULL, NULL);
    result = padici_rational_options(context, desc, &o);
    task.field[1] = "in";
    task.other_field[0] = "numerator";
    task.other_field[1] = "denominator";
    for (j = 0; j < 2 && !result; j++) {
        const padic_tensor *t = j ? &desc->denominator : &desc->numerator;
        if (j && o.mode == PADIC_NUM_RATIONAL_FIXED && !t->dtype) continue; // optional there
        result = padici_task_ints(&task, j, t, &desc->in);
        padici_blame(context, result, task.other_field[j], NULL,
                     "must have the shape (limbs, in.count), with at most 64 limbs or 7 for each "
                     "word of a long ring");
        o.dtype[j] = t->dtype;
        o.limbs[j] = task.other_planes >> j & 1 ? (uint32_t)task.other_each[j] : 0;
    }
    if (!result && !padici_rational_bounds(desc, &o, &task))
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "most_numerator", NULL,
                              "times most_denominator must stay below p^(N - guard) / 2");
    if (result) return padici_fault(context, result, "num_to_rational");
    task.other_out = 3;
    task.status = &desc->status;
    task.sticky = desc->sticky;
    task.whole = o.mode == PADIC_NUM_RATIONAL_COMMON;
    task.call.options = &o;
    return padici_num_run(context, &task);
}

// Precision and prime

// Digits from .. from + count - 1 of a residue as an integer below 2^127; digits beyond N are 0.
static padici_wide padici_ring_part(const padic_num_ring *r, const uint64_t *u, uint32_t from,
                                    uint32_t count)
{
    padici_wide sum = {0, 0}, x;
    uint32_t at, take;
    if (from >= r->precision) return sum;
    if (count > r->precision - from) count = r->precision - from;
    if (r->form < PADIC_NUM_RX) {
        x = padici_wide_make(u[0], r->words > 1 ? u[1] : 0);
        x = padici_wide_div(x, padici_wide_load(r->power[from]), NULL);
        if (from + count < r->precision)
            padici_wide_div(x, padici_wide_load(r->power[count]), &x);
        return x;
    }
    for (at = 0; at < count; at += take) { // limb by limb
        const uint32_t low = (from + at) % r->limb_digits;
        uint64_t limb = u[(from + at) / r->limb_digits] / r->power[low][0];
        take = r->limb_digits - low < count - at ? r->limb_digits - low : count - at;
        limb = padici_limb_low(r, limb, take);
        sum = padici_wide_add(sum, padici_wide_mul_low(padici_wide_load(r->power[at]),
                                                       padici_wide_make(limb, 0)));
    }
    return sum;
}

// call->options: the ring of a.
static void padici_set_precision_loop(padic_num_call *call)
{
    const padic_num_ring *const r = call->ring, *const from = (const padic_num_ring *)call->options;
    padic_num_call in = *call;
    padici_exact e;
    padici_cell x, y;
    uint64_t i;
    uint32_t k;
    in.ring = from;
    padici_exact_begin(&e, from->words > r->words ? from->words : r->words, call->scratch);
    x.u = e.at;
    y.u = e.at + e.part;
    for (i = 0; i < call->count; i++) {
        padici_cell_load(&in, &call->a, i, &x);
        y.v = x.v;
        y.n = x.n < r->precision ? x.n : r->precision;
        if (call->model == PADIC_NUM_FLOAT) y.n = r->precision;
        y.bits = x.bits;
        if (r->form < PADIC_NUM_RX) {
            const padici_wide u = padici_ring_part(from, x.u, 0, r->precision);
            y.u[0] = u.low;
            if (r->words > 1) y.u[1] = u.high;
        }
        for (k = 0; r->form == PADIC_NUM_RX && k < r->words; k++)
            y.u[k] = padici_ring_part(from, x.u, k * r->limb_digits,
                                      k + 1 < r->words ? r->limb_digits : r->top_digits).low;
        if (r->precision > from->precision && call->model != PADIC_NUM_BALL && !x.bits &&
            x.v != PADIC_NUM_ZERO)
            y.bits = PADIC_NUM_PRECLOSS;
        padici_cell_store(call, i, &y);
    }
}

// Is there one prime, and are the planes others?
PADIC_API padic_result padic_num_set_precision(padic_context *context, const padic_num_array *out,
                                               const padic_num_array *in)
{
    padici_num_task task;
    if (!out || !in || !padici_ring_is(out->ring) || !padici_ring_is(in->ring))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_set_precision",
                              "out or in is NULL, or its ring was not made by num_ring_init");
    if (out->ring->p != in->ring->p || out->model != in->model)
        return padici_fail_in(context, PADIC_ERROR_RING, "num_set_precision",
                              "out and in must have one prime and model: see num_change_prime");
    if (out->count != in->count)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, "num_set_precision",
                              "out.count and in.count differ");
    if (padici_num_same_units(out, in))
        return padici_fail_in(context, PADIC_ERROR_OVERLAP, "num_set_precision",
                              "out must not be in: precision is not changed in place");
    padici_num_task_begin(&task, "num_set_precision", PADIC_KERNEL_NUM_SET_PRECISION,
                          padici_set_precision_loop, out, in, NULL, NULL);
    task.field[1] = "in";
    task.free_rings = 1;
    task.call.options = in->ring;
    return padici_num_run(context, &task);
}

// x = p^v n / d in the ring of q, n and d in e.
static void padici_change_prime_one(const padic_num_call *call, padici_cell *x, uint64_t p,
                                    int32_t v, int negative, padici_exact *e)
{
    const padic_num_ring *r = call->ring;
    padic_num_call split = *call;
    uint64_t *const power = e->at + 2 * e->part, *const t = power + e->part;
    split.model = PADIC_NUM_FLOAT;
    padici_cell_of_fraction(&split, x, &e->n, negative, &e->d, e->at + 2 * e->part);
    if (p == r->p) {
        if (x->v != PADIC_NUM_ZERO) x->v += v;
    } else if (v && x->v != PADIC_NUM_ZERO) {
        padici_ring_set(r, t, p);
        padici_ring_pow(r, power, t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, t + e->part);
        if (v < 0) {
            padici_ring_inv(r, t, power, t + e->part);
            padici_ring_copy(r, power, t);
        }
        padici_ring_mul(r, t, x->u, power);
        padici_ring_copy(r, x->u, t);
    }
    padici_cell_settle(call, x);
}

// call->options: the array a.
static void padici_change_prime_loop(padic_num_call *call)
{
    const padic_num_array *const array = (const padic_num_array *)call->options;
    const padic_num_ring *const r = call->ring, *const from = array->ring;
    padici_bounds bounds = {1, 0, 0, {0, 0}, {0, 0}, 0};
    padic_num_call in = *call;
    padici_exact e;
    padici_cell x, y;
    uint64_t i;
    in.ring = from;
    in.model = array->model;
    padici_exact_begin(&e, from->words > r->words ? from->words : r->words, call->scratch);
    x.u = e.at;
    y.u = e.at + e.part;
    for (i = 0; i < call->count; i++) {
        int sign;
        padici_cell_load(&in, &call->a, i, &x);
        y.v = PADIC_NUM_ZERO;
        y.n = r->precision;
        y.bits = x.bits;
        memset(y.u, 0, r->words * sizeof *y.u);
        if (x.v != PADIC_NUM_ZERO && x.v != PADIC_NUM_NAN) {
            sign = padici_fraction(from, x.u, x.n, &bounds, e.n.w, e.d.w, e.at + 2 * e.part);
            e.n.n = e.d.n = sign ? from->words : 0;
            padici_big_trim(&e.n);
            padici_big_trim(&e.d);
            if (sign) padici_change_prime_one(call, &y, from->p, x.v, sign < 0, &e);
            else y.bits = PADIC_NUM_RATREC;
        } else if (x.v == PADIC_NUM_NAN) {
            y.v = PADIC_NUM_NAN;
        }
        if (call->model == PADIC_NUM_RING && y.bits & PADIC_NUM_HARD)
            memset(y.u, 0, r->words * sizeof *y.u);
        padici_cell_store(call, i, &y);
    }
}

PADIC_API padic_result padic_num_change_prime(padic_context *context, const padic_num_array *out,
                                              const padic_num_array *in)
{
    padici_num_task task;
    if (!out || !in || !padici_ring_is(out->ring) || !padici_ring_is(in->ring))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_change_prime",
                              "out or in is NULL, or its ring was not made by num_ring_init");
    if (out->count != in->count)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, "num_change_prime",
                              "out.count and in.count differ");
    if (padici_num_same_units(out, in))
        return padici_fail_in(context, PADIC_ERROR_OVERLAP, "num_change_prime",
                              "out must not be in: the prime is not changed in place");
    padici_num_task_begin(&task, "num_change_prime", PADIC_KERNEL_NUM_CHANGE_PRIME,
                          padici_change_prime_loop, out, in, NULL, NULL);
    task.field[1] = "in";
    task.free_rings = 1;
    task.call.options = in;
    return padici_num_run(context, &task);
}

// room: src/num/channels.c
// ------------------------------------------------------------------------------ >>channels impl

// A loop over dense tensors of one count, as padici_num_run() is one over arrays of numbers.
#define PADICI_SWEEP_TENSORS 5
typedef struct padici_sweep {
    const void *desc; // of the operation
    const char *name;
    const char *field[PADICI_SWEEP_TENSORS];
    void (*loop)(struct padici_sweep *sweep, uint32_t piece, uint64_t first, uint64_t end);
    const padic_tensor *tensor[PADICI_SWEEP_TENSORS]; // NULL: none; status is the last one
    uint32_t allowed[PADICI_SWEEP_TENSORS];           // dtypes, 1 << dtype
    uint32_t out;                                    // bit j: tensor j is written
    void *data[PADICI_SWEEP_TENSORS];
    uint32_t size[PADICI_SWEEP_TENSORS]; // of an element
    uint32_t *sticky;
    padici_num_range range[PADICI_SWEEP_TENSORS + 4]; // of memory; more may be added
    uint32_t ranges;
    uint64_t count, chunk;
    uint32_t bits[PADICI_NUM_CHUNKS]; // of each piece
    uint64_t tally[PADICI_NUM_CHUNKS][2];
} padici_sweep;

#define PADICI_SWEEP_STATUS (PADICI_SWEEP_TENSORS - 1)
#define PADICI_FLOATS (1u << PADIC_F16 | 1u << PADIC_BF16 | 1u << PADIC_F32 | 1u << PADIC_F64)

static void padici_sweep_begin(padici_sweep *sweep, const char *name, const void *desc,
                              void (*loop)(padici_sweep *sweep, uint32_t piece, uint64_t first,
                                           uint64_t end))
{
    memset(sweep, 0, sizeof *sweep);
    sweep->name = name;
    sweep->desc = desc;
    sweep->loop = loop;
}

static void padici_sweep_tensor(padici_sweep *sweep, uint32_t j, const char *field,
                                const padic_tensor *tensor, uint32_t allowed, uint32_t out)
{
    sweep->field[j] = field;
    sweep->tensor[j] = tensor;
    sweep->allowed[j] = allowed;
    sweep->out |= out << j;
}

static void padici_sweep_status(padici_sweep *sweep, const padic_tensor *status, uint32_t *sticky)
{
    if (status->dtype || status->data)
        padici_sweep_tensor(sweep, PADICI_SWEEP_STATUS, "status", status, 1u << PADIC_U8, 1);
    sweep->sticky = sticky;
}

// Looks at the tensors and finds their memory; `count` is that of tensor 0. Two may be the same
// memory only if they have one dtype and `alike` has the bits of both.
static padic_result padici_sweep_check(padic_context *context, padici_sweep *sweep, uint32_t alike)
{
    uint32_t j;
    padic_result result = padici_tensor_check_shape(sweep->tensor[0], &sweep->count);
    padici_blame(context, result, sweep->field[0], NULL, NULL);
    for (j = 0; !result && j < PADICI_SWEEP_TENSORS; j++) {
        const padic_tensor *t = sweep->tensor[j];
        if (!t) continue;
        result = padici_num_plane(context, t, sweep->count, sweep->allowed[j], &sweep->data[j]);
        padici_blame(context, result, sweep->field[j], NULL, NULL);
        sweep->size[j] = padic_dtype_size(t->dtype);
        padici_num_range_add(sweep->range, &sweep->ranges, sweep->data[j],
                             sweep->count * sweep->size[j], alike >> j & 1 ? (uint32_t)t->dtype : 0,
                             sweep->out >> j & 1);
    }
    padici_num_range_add(sweep->range, &sweep->ranges, sweep->sticky, sizeof(uint32_t), 0, 1);
    return result ? result : padici_num_overlap(sweep->range, sweep->ranges);
}

static void padici_sweep_piece(void *arg, uint32_t piece)
{
    padici_sweep *sweep = (padici_sweep *)arg;
    const uint64_t first = piece * sweep->chunk, left = sweep->count - first;
    (*sweep->loop)(sweep, piece, first, first + (left < sweep->chunk ? left : sweep->chunk));
}

static padic_result padici_sweep_run(padic_context *context, padici_sweep *sweep)
{
    const padic_jobs *jobs = padici_jobs(context);
    uint64_t pieces = jobs && jobs->workers > 1 ? (sweep->count >> 12) + 1 : 1;
    uint32_t j, bits = 0;
    if (!sweep->count) return PADIC_OK;
    if (pieces > PADICI_NUM_CHUNKS) pieces = PADICI_NUM_CHUNKS;
    sweep->chunk = ((sweep->count + pieces - 1) / pieces + 63) & ~UINT64_C(63);
    pieces = (sweep->count + sweep->chunk - 1) / sweep->chunk;
    padici_parallel(jobs, (uint32_t)pieces, padici_sweep_piece, sweep);
    for (j = 0; j < pieces; j++) bits |= sweep->bits[j];
    if (sweep->sticky) *sweep->sticky |= bits;
    if (bits & PADIC_NUM_HARD && !sweep->sticky && !sweep->data[PADICI_SWEEP_STATUS])
        return padici_fail_in(context, PADIC_ERROR_DOMAIN, sweep->name, PADICI_NUM_SILENT);
    return PADIC_OK;
}

PADICI_INLINE void padici_sweep_note(padici_sweep *sweep, uint32_t piece, uint64_t i, uint32_t bits)
{
    uint8_t *status = (uint8_t *)sweep->data[PADICI_SWEEP_STATUS];
    if (status) status[i] = (uint8_t)bits;
    sweep->bits[piece] |= bits;
}

PADICI_INLINE int padici_float_finite(padic_dtype dtype, uint64_t bits)
{
    const padici_format f = padici_format_of(dtype);
    return (~bits >> f.mantissa & ((UINT64_C(1) << f.exponent) - 1)) != 0;
}

// |x| = m 2^e for finite bits, and the sign bit.
PADICI_INLINE uint32_t padici_float_parts(padic_dtype dtype, uint64_t bits, uint64_t *m, int32_t *e)
{
    const padici_format f = padici_format_of(dtype);
    const uint32_t biased = (uint32_t)(bits >> f.mantissa) & ((1u << f.exponent) - 1);
    *m = (bits & ((UINT64_C(1) << f.mantissa) - 1)) | (uint64_t)(biased != 0) << f.mantissa;
    *e = (int32_t)(biased + (biased == 0)) - (int32_t)((1u << (f.exponent - 1)) - 1 + f.mantissa);
    return (uint32_t)(bits >> (f.mantissa + f.exponent)) & 1;
}

// room: src/num/levels.c
// ---- levels
//
// With |x| = 2^k g, 1 <= g < 2, the first F + 1 bits of log2 g come from squaring g F + 1 times,
// halving it and noting a 1 whenever it reaches 2; then y = 2^F k + floor((those bits + 1) / 2). No
// tie exists: 2^((2c - 1) / 2^(F+1)) is irrational. In words of w bits a squaring cuts off less
// than 6 units of 2^(1-w), and each one doubles the relative error of before, so the last value is
// less than 2^(F+5) units too small, and the bits are right unless it is that near to 2. With 64
// bits it nearly never is; then 128 bits decide, always: all 2^31 - 1 thresholds 2^(j / 2^31) are
// further than 2^-85 from any multiple of 2^-53 (tests/test_num_channels.c enumerates them), so
// from every g of 53 bits, and also from every tie of decoding.

static uint64_t padici_log_bits_wide(uint64_t g, uint32_t n)
{
    padici_wide a = padici_wide_make(0, g);
    uint64_t bits = 0;
    for (; n > 0; n--) {
        a = padici_wide_mul_high(a, a);
        bits = bits << 1 | a.high >> 63;
        if (!(a.high >> 63)) a = padici_wide_shl(a, 1);
    }
    return bits;
}

// The first n <= 31 bits of log2 of g / 2^63.
PADICI_INLINE uint64_t padici_log_bits(uint64_t g, uint32_t n)
{
    uint64_t a = g, bits = 0;
    uint32_t j;
    for (j = 0; j < n; j++) {
        const uint64_t low = a * a, high = padici_mulhi64(a, a), one = high >> 63;
        bits = bits << 1 | one;
        a = high << (1 - one) | (low >> 63 & ~one);
    }
    return PADICI_UNLIKELY(a >= 0 - (UINT64_C(16) << n)) ? padici_log_bits_wide(g, n) : bits;
}

static void padici_log_encode_loop(padici_sweep *sweep, uint32_t piece, uint64_t first,
                                   uint64_t end)
{
    const padic_num_log_desc *desc = (const padic_num_log_desc *)sweep->desc;
    const padic_dtype dtype = desc->value.dtype;
    const uint32_t f = desc->fraction;
    uint64_t i, m;
    int32_t e;
    for (i = first; i < end; i++) {
        const uint64_t bits = padici_float_load(sweep->data[0], dtype, i);
        const uint32_t negative = padici_float_parts(dtype, bits, &m, &e);
        uint32_t note = 0;
        int64_t level = 0;
        if (!padici_float_finite(dtype, bits)) {
            note = PADIC_NUM_OUTSIDE;
            m = 0;
        } else if (!m) {
            note = negative ? PADIC_NUM_INEXACT : 0;
        } else {
            const uint32_t up = padici_clz64(m);
            level = (int64_t)((padici_log_bits(m << up, f + 1) + 1) >> 1);
            level += (e + 63 - (int32_t)up) * ((int64_t)1 << f);
        }
        ((int8_t *)sweep->data[1])[i] = (int8_t)(!m ? 0 : negative ? -1 : 1);
        padici_int_store(sweep->data[2], sweep->size[2], i, (uint64_t)level);
        padici_sweep_note(sweep, piece, i, note);
    }
}

// 2^(c / 2^f) for c < 2^f in units of 2^-127, less than 2^9 too small: a product of 2^(2^-i).
static padici_wide padici_log_power(uint64_t c, uint32_t f)
{
    static const uint64_t root[60] = { // floor(2^(127 + 2^-i)), high word first, i = 1 to 30
        0xb504f333f9de6484u, 0x597d89b3754abe9fu, 0x9837f0518db8a96fu, 0x46ad23182e42f6f6u,
        0x8b95c1e3ea8bd6e6u, 0xfbe4628758a53c90u, 0x85aac367cc487b14u, 0xc5c95b8c2154c1b2u,
        0x82cd8698ac2ba1d7u, 0x3e2a475b46520bffu, 0x8164d1f3bc030773u, 0x7be56527bd14def4u,
        0x80b1ed4fd999ab6cu, 0x25335719b6e6fd20u, 0x8058d7d2d5e5f6b0u, 0x94d589f608ee4aa2u,
        0x802c6436d0e04f50u, 0xff8ce94a6797b3ceu, 0x8016302f17467628u, 0x3690dfe44d11d008u,
        0x800b179c82028fd0u, 0x945e54e2ae18f2f0u, 0x80058baf7fee3b5du, 0x1c718b38e549cb93u,
        0x8002c5d00fdcfcb6u, 0xb6566a58c048be1fu, 0x800162e61bed4a48u, 0xe84c2e1a463473d9u,
        0x8000b17292f702a3u, 0xaa22beacca949013u, 0x800058b92abbae02u, 0x030c5fa5256f41feu,
        0x80002c5c8dade4d7u, 0x1776c0f4dbea67d6u, 0x8000162e44eaf636u, 0x526be456600bdbe4u,
        0x80000b1721fa7c18u, 0x8307016c1cd4e8b6u, 0x8000058b90de7e4cu, 0xecfc487503488bb1u,
        0x800002c5c8678f36u, 0xcbfce50a6de60b14u, 0x80000162e431db9fu, 0x80b2347b5d62e516u,
        0x800000b1721872d0u, 0xc7b08cf1e0114152u, 0x80000058b90c1aa8u, 0xa5c3736cb77e8dffu,
        0x8000002c5c8605a4u, 0x635f2efc2362d978u, 0x800000162e4300e6u, 0x35cf4a109e3939bdu,
        0x8000000b17217ff8u, 0x1bef9c551590cf83u, 0x800000058b90bfddu, 0x4e39cd52c0cfa27cu,
        0x80000002c5c85fe6u, 0xf72d669e0e76e411u, 0x8000000162e42ff1u, 0x8f9ad35186d0df28u
    };
    padici_wide x = padici_wide_make(0, UINT64_C(1) << 63);
    uint32_t i;
    for (i = 0; i < f; i++)
        if (c >> (f - 1 - i) & 1)
            x = padici_wide_shl(
                padici_wide_mul_high(x, padici_wide_make(root[2 * i + 1], root[2 * i])), 1);
    return x;
}

// The bits of 2^(y / 2^f), correctly rounded, in a float type.
static uint64_t padici_log_value(padic_dtype dtype, int64_t y, uint32_t f, uint32_t *note)
{
    const uint64_t c = (uint64_t)y & ((UINT64_C(1) << f) - 1);
    const int64_t whole = (y - (int64_t)c) / ((int64_t)1 << f);
    const int64_t k = whole < -4096 ? -4096 : whole > 4096 ? 4096 : whole; // no float is beyond
    uint32_t inexact, overflow;
    const uint64_t bits = padici_float_round(dtype, padici_log_power(c, f).high, k - 63, c != 0,
                                             &inexact, &overflow);
    *note = overflow ? PADIC_NUM_RANGE : bits ? 0 : PADIC_NUM_INEXACT;
    return bits;
}

static void padici_log_decode_loop(padici_sweep *sweep, uint32_t piece, uint64_t first,
                                   uint64_t end)
{
    const padic_num_log_desc *desc = (const padic_num_log_desc *)sweep->desc;
    const padic_dtype dtype = desc->value.dtype;
    const padici_format f = padici_format_of(dtype);
    uint64_t i;
    for (i = first; i < end; i++) {
        const int8_t sign = ((const int8_t *)sweep->data[1])[i];
        int negative;
        uint64_t level = padici_int_load(sweep->data[2], desc->level.dtype, i, &negative), bits = 0;
        uint32_t note = 0;
        if (negative) level = 0 - level;
        if (sign < -1 || sign > 1) { // no sign: a quiet NaN
            bits = ((UINT64_C(2) << f.exponent) - 1) << (f.mantissa - 1);
            note = PADIC_NUM_OUTSIDE;
        } else if (sign) {
            bits = padici_log_value(dtype, (int64_t)level, desc->fraction, &note);
            bits |= (uint64_t)(sign < 0) << (f.mantissa + f.exponent);
        }
        padici_float_store(sweep->data[0], dtype, i, bits);
        padici_sweep_note(sweep, piece, i, note);
    }
}

// Whether F, the ring and the width of levels go with the floats.
static padic_result padici_log_check(padic_context *context, const padic_num_log_desc *desc)
{
    const padici_format t = padici_format_of(desc->value.dtype);
    const uint32_t f = desc->fraction;
    const uint64_t most = ((UINT64_C(1) << (t.exponent - 1)) - 1 + t.mantissa) << (f & 31);
    if (f + 1 > t.mantissa || f > 30)
        return padici_blame(context, PADIC_ERROR_LIMIT, "fraction", NULL,
                            "must be at most 30 and 2 below the significant bits of `value`");
    if (most >> (8 * padic_dtype_size(desc->level.dtype) - 1))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "level", NULL,
                            "has a dtype too narrow for so large a `fraction`");
    if (desc->ring) {
        if (!padici_ring_is(desc->ring))
            return padici_blame(context, PADIC_ERROR_ARGUMENT, "ring", NULL,
                                "was not made by num_ring_init");
        if (desc->ring->bits < 44 && desc->ring->modulus[0] <= UINT64_C(2150) << f)
            return padici_blame(context, PADIC_ERROR_LIMIT, "ring", NULL,
                                "has too few digits for all levels: P > 2,150 2^fraction");
    }
    return PADIC_OK;
}

static padic_result padici_log(padic_context *context, const padic_num_log_desc *desc,
                               uint32_t encode)
{
    const char *const name = encode ? "num_log_encode" : "num_log_decode";
    padici_sweep sweep;
    padic_result result;
    padici_sweep_begin(&sweep, name, desc,
                       encode ? padici_log_encode_loop : padici_log_decode_loop);
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name, "desc is NULL");
    padici_sweep_tensor(&sweep, 0, "value", &desc->value, PADICI_FLOATS, !encode);
    padici_sweep_tensor(&sweep, 1, "sign", &desc->sign, 1u << PADIC_I8, encode);
    padici_sweep_tensor(&sweep, 2, "level", &desc->level, PADICI_SIGNED & ~(1u << PADIC_I8),
                        encode);
    padici_sweep_status(&sweep, &desc->status, desc->sticky);
    result = padici_sweep_check(context, &sweep, 0);
    if (!result) result = padici_log_check(context, desc);
    return result ? padici_fault(context, result, name) : padici_sweep_run(context, &sweep);
}

PADIC_API padic_result padic_num_log_encode(padic_context *context, const padic_num_log_desc *desc)
{
    return padici_log(context, desc, 1);
}

PADIC_API padic_result padic_num_log_decode(padic_context *context, const padic_num_log_desc *desc)
{
    return padici_log(context, desc, 0);
}

// room: src/num/fields.c
// ---- fields of floats

static void padici_channels_split_loop(padici_sweep *sweep, uint32_t piece, uint64_t first,
                                       uint64_t end)
{
    const padic_dtype dtype = sweep->tensor[0]->dtype;
    const padici_format f = padici_format_of(dtype);
    uint64_t i;
    (void)piece;
    for (i = first; i < end; i++) {
        const uint64_t x = padici_float_load(sweep->data[0], dtype, i), e = x >> f.mantissa;
        padici_int_store(sweep->data[1], sweep->size[1], i, e >> f.exponent);
        padici_int_store(sweep->data[2], sweep->size[2], i, e & ((UINT64_C(1) << f.exponent) - 1));
        padici_int_store(sweep->data[3], sweep->size[3], i, x & ((UINT64_C(1) << f.mantissa) - 1));
    }
}

static void padici_channels_join_loop(padici_sweep *sweep, uint32_t piece, uint64_t first,
                                      uint64_t end)
{
    const padici_format f = padici_format_of(sweep->tensor[0]->dtype);
    uint64_t i, x[4];
    uint32_t j;
    int negative;
    for (i = first; i < end; i++) {
        for (j = 1; j < 4; j++)
            x[j] = padici_int_load(sweep->data[j], sweep->tensor[j]->dtype, i, &negative);
        x[0] = (x[1] << f.exponent | x[2]) << f.mantissa | x[3];
        if (x[1] > 1 || x[2] >> f.exponent || x[3] >> f.mantissa) {
            sweep->bits[piece] |= PADIC_NUM_OUTSIDE;
            x[0] = 0;
        }
        padici_float_store(sweep->data[0], sweep->tensor[0]->dtype, i, x[0]);
    }
}

static padic_result padici_channels(padic_context *context, const padic_num_channels_desc *desc,
                                    uint32_t split)
{
    const char *const name = split ? "num_channels_split" : "num_channels_join";
    padici_sweep sweep;
    padic_result result;
    padici_sweep_begin(&sweep, name, desc,
                       split ? padici_channels_split_loop : padici_channels_join_loop);
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name, "desc is NULL");
    padici_sweep_tensor(&sweep, 0, "value", &desc->value, PADICI_FLOATS, !split);
    padici_sweep_tensor(&sweep, 1, "sign", &desc->sign, PADICI_UNSIGNED, split);
    padici_sweep_tensor(&sweep, 2, "exponent", &desc->exponent, PADICI_UNSIGNED, split);
    padici_sweep_tensor(&sweep, 3, "mantissa", &desc->mantissa, PADICI_UNSIGNED, split);
    result = padici_sweep_check(context, &sweep, 0);
    if (!result && 8 * sweep.size[2] < padici_format_of(desc->value.dtype).exponent)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "exponent", NULL,
                              "has a dtype too narrow for that field");
    if (!result && 8 * sweep.size[3] < padici_format_of(desc->value.dtype).mantissa)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "mantissa", NULL,
                              "has a dtype too narrow for that field");
    return result ? padici_fault(context, result, name) : padici_sweep_run(context, &sweep);
}

PADIC_API padic_result padic_num_channels_split(padic_context *context,
                                                const padic_num_channels_desc *desc)
{
    return padici_channels(context, desc, 1);
}

PADIC_API padic_result padic_num_channels_join(padic_context *context,
                                               const padic_num_channels_desc *desc)
{
    return padici_channels(context, desc, 0);
}

// room: src/num/digests.c
// ---- digests

#define PADICI_MERSENNE ((UINT64_C(1) << 61) - 1)

// h r + w modulo 2^61 - 1, for h and r below 2^61 + 8: below 2^61 + 8 again, not quite reduced.
PADICI_INLINE uint64_t padici_digest_step(uint64_t h, uint64_t r, uint64_t w)
{
    const padici_wide x = padici_wide_mul(h, r);
    const uint64_t s = (x.low & PADICI_MERSENNE) + (x.low >> 61 | x.high << 3) + w;
    return (s & PADICI_MERSENNE) + (s >> 61);
}

PADIC_API void padic_num_digest_init(padic_num_digest *digest, uint64_t seed)
{
    // A counter that no record has: its words 1 and 3 stay below 2^29.
    static const uint32_t counter[4] = {0, UINT32_MAX, 0, UINT32_MAX};
    uint32_t w[4];
    memset(digest, 0, sizeof *digest);
    digest->seed = seed;
    padici_philox((uint32_t)seed, (uint32_t)(seed >> 32), counter, w);
    digest->point[0] = (w[0] | (uint64_t)w[1] << 32) % PADICI_MERSENNE;
    digest->point[1] = (w[2] | (uint64_t)w[3] << 32) % PADICI_MERSENNE;
}

// The two elements of Z/2^64 that a record adds. Its polynomial has the coefficients 1, size (high
// word, low word), id (the same), and the data, four bytes a word, the lowest first, the last word
// filled up with zeros; the 1 tells a long record from a short one that begins with zeros.
static void padici_digest_record(const padic_num_digest *digest, uint64_t id, const void *data,
                                 size_t size, uint64_t out[2])
{
    const uint64_t a = digest->point[0], b = digest->point[1], length = size;
    const uint8_t *p = (const uint8_t *)data;
    size_t left;
    uint8_t last[4] = {0, 0, 0, 0};
    uint64_t head[4], x = 1, y = 1;
    uint32_t counter[4], w[4], k;
    head[0] = length >> 32;
    head[1] = (uint32_t)length;
    head[2] = id >> 32;
    head[3] = (uint32_t)id;
    for (k = 0; k < 4; k++) {
        x = padici_digest_step(x, a, head[k]);
        y = padici_digest_step(y, b, head[k]);
    }
    for (left = size; left >= 4; left -= 4, p += 4) {
        x = padici_digest_step(x, a, padici_load32(p));
        y = padici_digest_step(y, b, padici_load32(p));
    }
    if (left) {
        memcpy(last, p, left);
        x = padici_digest_step(x, a, padici_load32(last));
        y = padici_digest_step(y, b, padici_load32(last));
    }
    if (x >= PADICI_MERSENNE) x -= PADICI_MERSENNE;
    if (y >= PADICI_MERSENNE) y -= PADICI_MERSENNE;
    counter[0] = (uint32_t)x;
    counter[1] = (uint32_t)(x >> 32);
    counter[2] = (uint32_t)y;
    counter[3] = (uint32_t)(y >> 32);
    padici_philox((uint32_t)digest->seed, (uint32_t)(digest->seed >> 32), counter, w);
    out[0] = w[0] | (uint64_t)w[1] << 32;
    out[1] = w[2] | (uint64_t)w[3] << 32;
}

// Adds a record `times` times, modulo 2^64.
static void padici_digest_put(padic_num_digest *digest, uint64_t id, const void *data, size_t size,
                              uint64_t times)
{
    uint64_t x[2];
    padici_digest_record(digest, id, data, size, x);
    digest->count += times;
    digest->sum[0] += times * x[0];
    digest->sum[1] += times * x[1];
}

PADIC_API void padic_num_digest_add(padic_num_digest *digest, uint64_t id, const void *data,
                                    size_t size)
{
    padici_digest_put(digest, id, data, size, 1);
}

PADIC_API void padic_num_digest_remove(padic_num_digest *digest, uint64_t id, const void *data,
                                       size_t size)
{
    padici_digest_put(digest, id, data, size, UINT64_MAX);
}

PADIC_API void padic_num_digest_update(padic_num_digest *digest, uint64_t id, const void *before,
                                       const void *after, size_t size)
{
    padic_num_digest_remove(digest, id, before, size);
    padic_num_digest_add(digest, id, after, size);
}

PADIC_API padic_result padic_num_digest_merge(padic_num_digest *digest,
                                              const padic_num_digest *other)
{
    if (!digest || !other) return PADIC_ERROR_ARGUMENT;
    if (digest->seed != other->seed) return PADIC_ERROR_MISMATCH;
    digest->count += other->count;
    digest->sum[0] += other->sum[0];
    digest->sum[1] += other->sum[1];
    return PADIC_OK;
}

// room: src/num/gradients.c
// ---- gradients

static double padici_float_double(padic_dtype dtype, uint64_t bits)
{
    const padici_format f = padici_format_of(dtype);
    uint64_t m, x = bits;
    int32_t e;
    double value, power = 1;
    const uint32_t negative = padici_float_parts(dtype, bits, &m, &e);
    if (dtype != PADIC_F64 && !padici_float_finite(dtype, bits)) { // the payload at the top
        x = UINT64_C(0x7ff) << 52 | bits << (64 - f.mantissa) >> 12;
    } else if (dtype != PADIC_F64) {
        x = (uint64_t)(1023 + e) << 52;
        memcpy(&power, &x, 8);
        power *= (double)m;
        memcpy(&x, &power, 8);
    }
    x |= (uint64_t)negative << 63;
    memcpy(&value, &x, 8);
    return value;
}

static void padici_ste_loop(padici_sweep *sweep, uint32_t piece, uint64_t first, uint64_t end)
{
    const padic_num_ste_desc *desc = (const padic_num_ste_desc *)sweep->desc;
    uint64_t i;
    (void)piece;
    for (i = first; i < end; i++) {
        const uint64_t bits = padici_float_load(sweep->data[2], desc->in.dtype, i);
        const uint64_t grad = padici_float_load(sweep->data[1], desc->grad.dtype, i);
        const double x = padici_float_double(desc->in.dtype, bits);
        padici_float_store(sweep->data[0], desc->out.dtype, i,
                           x >= desc->low && x <= desc->high ? grad : 0);
    }
}

PADIC_API padic_result padic_num_ste_backward(padic_context *context,
                                              const padic_num_ste_desc *desc)
{
    padici_sweep sweep;
    padic_result result;
    padici_sweep_begin(&sweep, "num_ste_backward", desc, padici_ste_loop);
    if (!desc || desc->low != desc->low || desc->high != desc->high)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_ste_backward",
                              desc ? "low or high is NaN" : "desc is NULL");
    padici_sweep_tensor(&sweep, 0, "out", &desc->out, PADICI_FLOATS, 1);
    padici_sweep_tensor(&sweep, 1, "grad", &desc->grad, PADICI_FLOATS, 0);
    padici_sweep_tensor(&sweep, 2, "in", &desc->in, PADICI_FLOATS, 0);
    result = padici_sweep_check(context, &sweep, 3);
    if (!result && desc->out.dtype != desc->grad.dtype)
        result = padici_blame(context, PADIC_ERROR_MISMATCH, "out", NULL,
                              "must have the dtype of `grad`");
    return result ? padici_fault(context, result, "num_ste_backward")
                  : padici_sweep_run(context, &sweep);
}

// The integer nearest to m / 2^t, ties to even; t < 64.
PADICI_INLINE uint64_t padici_round_shift(uint64_t m, uint32_t t)
{
    const uint64_t q = m >> t, rest = m - (q << t), half = t ? UINT64_C(1) << (t - 1) : 1;
    return q + (rest > half || (rest == half && (q & 1)));
}

PADICI_INLINE uint64_t padici_absolute(int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

// *state += x 2^scale; what happened.
static uint32_t padici_grad_add(padic_dtype dtype, uint64_t bits, int32_t scale, int64_t *state)
{
    uint64_t m, whole, sum;
    int32_t e;
    const uint32_t negative = padici_float_parts(dtype, bits, &m, &e);
    uint32_t note = 0;
    if (!padici_float_finite(dtype, bits)) return PADIC_NUM_OUTSIDE;
    if (!m) return 0;
    e += scale;
    if (e >= 0) {
        if (e > 62 || m >> (63 - e)) return PADIC_NUM_RANGE;
        whole = m << e;
    } else {
        whole = e > -64 ? padici_round_shift(m, (uint32_t)-e) : 0;
        if (e <= -64 || whole << -e != m) note = PADIC_NUM_INEXACT;
    }
    if (negative) whole = 0 - whole;
    sum = (uint64_t)*state + whole;
    if (((sum ^ (uint64_t)*state) & (sum ^ whole)) >> 63) return PADIC_NUM_RANGE;
    *state = (int64_t)sum;
    return note;
}

// Takes q 2^step off *state and returns q, which has `size` bytes.
static int64_t padici_grad_send(int64_t *state, uint32_t step, uint32_t size)
{
    const uint64_t limit = (UINT64_C(1) << (8 * size - 1)) - (*state >= 0);
    uint64_t q = padici_round_shift(padici_absolute(*state), step);
    if (q > limit) q = limit;
    if (*state < 0) q = 0 - q;
    *state = (int64_t)((uint64_t)*state - (q << step));
    return (int64_t)q;
}

static void padici_grad_loop(padici_sweep *sweep, uint32_t piece, uint64_t first, uint64_t end)
{
    const padic_num_grad_desc *desc = (const padic_num_grad_desc *)sweep->desc;
    int64_t *state = (int64_t *)sweep->data[1];
    uint64_t i;
    for (i = first; i < end; i++) {
        const uint32_t note = padici_grad_add(
            desc->in.dtype, padici_float_load(sweep->data[0], desc->in.dtype, i), desc->scale,
            &state[i]);
        sweep->tally[piece][0] += note == PADIC_NUM_INEXACT;
        sweep->tally[piece][1] += (note & PADIC_NUM_HARD) != 0;
        padici_sweep_note(sweep, piece, i, note);
    }
}

// The k-th largest |state|, 0 < k <= n, byte by byte from the highest; *ties is how many elements
// equal to it are among the k.
static uint64_t padici_grad_select(const int64_t *state, uint64_t n, uint64_t k, uint64_t *ties)
{
    uint64_t bucket[256], prefix = 0, i;
    uint32_t shift = 64, b;
    while (shift > 0) {
        shift -= 8;
        memset(bucket, 0, sizeof bucket);
        for (i = 0; i < n; i++) {
            const uint64_t m = padici_absolute(state[i]) >> shift;
            if (m >> 8 == prefix) bucket[m & 255]++;
        }
        for (b = 255; k > bucket[b]; b--) k -= bucket[b];
        prefix = prefix << 8 | b;
    }
    *ties = k;
    return prefix;
}

// Sends the elements above `least` and the first `ties` that equal it.
static padic_result padici_grad_pick(padici_sweep *sweep, const padic_num_grad_desc *desc,
                                     void *sent, void *index, uint64_t room, uint64_t *count)
{
    int64_t *state = (int64_t *)sweep->data[1];
    const uint32_t sent_size = padic_dtype_size(desc->sent.dtype);
    const uint32_t index_size = padic_dtype_size(desc->index.dtype);
    uint64_t least = desc->mode ? desc->threshold : 0, ties = UINT64_MAX, n = 0, i;
    if (desc->mode == PADIC_NUM_GRAD_TOP) {
        n = desc->top < sweep->count ? desc->top : sweep->count;
        ties = 0;
        least = n ? padici_grad_select(state, sweep->count, n, &ties) : UINT64_MAX;
    } else {
        for (i = 0; i < sweep->count; i++) n += padici_absolute(state[i]) >= least;
    }
    *count = n;
    if (n > room) return PADIC_ERROR_CAPACITY;
    for (i = 0, n = 0; n < *count; i++) {
        const uint64_t m = padici_absolute(state[i]);
        if (m < least || (m == least && !ties)) continue;
        ties -= m == least;
        if (index) padici_int_store(index, index_size, n, i);
        padici_int_store(sent, sent_size, n++,
                         (uint64_t)padici_grad_send(&state[i], desc->step, sent_size));
    }
    return PADIC_OK;
}

static padic_result padici_grad_check(padic_context *context, const padic_num_grad_desc *desc,
                                      padici_sweep *sweep, void **sent, void **index,
                                      uint64_t *room)
{
    padic_result result;
    padici_sweep_begin(sweep, "num_grad_step", desc, padici_grad_loop);
    if (!desc || desc->scale < -1100 || desc->scale > 1100 || desc->step > 62 ||
        (uint32_t)desc->mode > PADIC_NUM_GRAD_TOP)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, NULL,
                            !desc             ? "desc is NULL"
                            : desc->step > 62 ? "step must be at most 62"
                            : (uint32_t)desc->mode > PADIC_NUM_GRAD_TOP
                                ? "mode is none that there is"
                                : "scale must be between -1,100 and 1,100");
    padici_sweep_tensor(sweep, 0, "in", &desc->in, PADICI_FLOATS, 0);
    padici_sweep_tensor(sweep, 1, "residual", &desc->residual, 1u << PADIC_I64, 1);
    padici_sweep_status(sweep, &desc->status, desc->sticky);
    result = padici_tensor_check_shape(&desc->sent, room);
    if (!result) result = padici_num_plane(context, &desc->sent, *room, PADICI_SIGNED, sent);
    padici_blame(context, result, "sent", NULL, NULL);
    if (!result && desc->mode != PADIC_NUM_GRAD_ALL) {
        result = padici_num_plane(context, &desc->index, *room, 1u << PADIC_U32 | 1u << PADIC_U64,
                                  index);
        padici_blame(context, result, "index", NULL, NULL);
    }
    if (result) return result;
    padici_num_range_add(sweep->range, &sweep->ranges, *sent,
                         *room * padic_dtype_size(desc->sent.dtype), 0, 1);
    padici_num_range_add(sweep->range, &sweep->ranges, *index,
                         *room * padic_dtype_size(desc->index.dtype), 0, 1);
    result = padici_sweep_check(context, sweep, 0);
    if (!result && *index && desc->index.dtype == PADIC_U32 && sweep->count >> 32)
        result = padici_blame(context, PADIC_ERROR_LIMIT, "index", NULL,
                              "must be U64 for so many elements");
    return result;
}

PADIC_API padic_result padic_num_grad_step(padic_context *context, const padic_num_grad_desc *desc,
                                           padic_num_grad_report *report)
{
    padici_sweep sweep;
    void *sent = NULL, *index = NULL;
    uint64_t room = 0;
    uint32_t j;
    padic_num_grad_report r = {0, 0, 0};
    padic_result picked = PADIC_OK;
    padic_result result = padici_grad_check(context, desc, &sweep, &sent, &index, &room);
    if (!result) {
        result = padici_sweep_run(context, &sweep);
        picked = padici_grad_pick(&sweep, desc, sent, index, room, &r.sent);
        for (j = 0; j < PADICI_NUM_CHUNKS; j++) {
            r.inexact += sweep.tally[j][0];
            r.refused += sweep.tally[j][1];
        }
        if (picked)
            result = padici_fail_in(context, picked, "num_grad_step",
                                    "sent is too small: report.sent is how many there are");
    } else {
        result = padici_fault(context, result, "num_grad_step");
    }
    if (report) *report = r;
    return result;
}

// room: src/num/tree.c
// ---------------------------------------------------------------------------------- >>tree impl
//
// A crit-bit tree (Morrison 1968) over the bits of digits. A place is where two numbers part: the
// exponent, and the leading zeros of the exclusive or of the digits; smaller is nearer to the root.
// Equal numbers part in their ids, at an exponent beyond all others.

#define PADICI_TREE_INNER UINT32_C(0x80000000)
#define PADICI_TREE_ROOT (UINT32_MAX - 1) // the parent of the root
#define PADICI_TREE_EQUAL ((uint64_t)UINT32_MAX << 6)

// The least place at this exponent.
PADICI_INLINE uint64_t padici_tree_limit(int64_t exponent)
{
    return (uint64_t)(exponent + ((int64_t)1 << 31)) << 6;
}

PADICI_INLINE int32_t padici_tree_exponent(uint64_t place)
{
    return (int32_t)((int64_t)(place >> 6) - ((int64_t)1 << 31));
}

PADICI_INLINE padic_num_tree_node *padici_tree_node(const padic_num_tree *tree, uint32_t link)
{
    return &tree->node[link - PADICI_TREE_INNER];
}

// The link to the parent.
PADICI_INLINE uint32_t *padici_tree_up(const padic_num_tree *tree, uint32_t link)
{
    return link < PADICI_TREE_INNER ? &tree->leaf[link] : &padici_tree_node(tree, link)->parent;
}

PADICI_INLINE uint32_t padici_tree_leaves(const padic_num_tree *tree, uint32_t link)
{
    return link < PADICI_TREE_INNER ? 1 : padici_tree_node(tree, link)->count;
}

// The place of the parent, 0 above the root.
PADICI_INLINE uint64_t padici_tree_above(const padic_num_tree *tree, uint32_t link)
{
    const uint32_t up = *padici_tree_up(tree, link);
    return up == PADICI_TREE_ROOT ? 0 : padici_tree_node(tree, up)->place;
}

// A walk from left to right over the subtrees below `top` whose places are `limit` or more, leaves
// included: the first at or below `link`, and the one after `link` (NONE after the last).
PADICI_INLINE uint32_t padici_tree_first(const padic_num_tree *tree, uint32_t link, uint64_t limit)
{
    while (link >= PADICI_TREE_INNER && padici_tree_node(tree, link)->place < limit)
        link = padici_tree_node(tree, link)->child[0];
    return link;
}

static uint32_t padici_tree_next(const padic_num_tree *tree, uint32_t link, uint32_t top,
                                 uint64_t limit)
{
    while (link != top) {
        const uint32_t up = *padici_tree_up(tree, link);
        if (padici_tree_node(tree, up)->child[0] == link)
            return padici_tree_first(tree, padici_tree_node(tree, up)->child[1], limit);
        link = up;
    }
    return PADIC_NUM_TREE_NONE;
}

// The node where the walk over leaves turns right after this leaf, which is not the last.
static uint32_t padici_tree_gap(const padic_num_tree *tree, uint32_t link)
{
    uint32_t up = *padici_tree_up(tree, link);
    for (; padici_tree_node(tree, up)->child[1] == link; up = *padici_tree_up(tree, up)) link = up;
    return up;
}

// room: src/num/tree_digits.c
// ---- digits

PADICI_INLINE int32_t padici_tree_val(const padic_num_planes *p, uint64_t i)
{
    return p->val ? padici_val_load(p, i) : 0;
}

// The words of element i, up to W128.
PADICI_INLINE void padici_tree_load(const padic_num_ring *r, const padic_num_planes *p, uint64_t i,
                                    uint64_t u[2])
{
    u[0] = padici_word(r, p->unit, i);
    u[1] = r->words > 1 ? padici_word(r, p->unit, i + p->high) : 0;
}

// The digit of element i at an exponent.
static uint64_t padici_tree_digit(const padic_num_ring *r, const padic_num_planes *p, uint64_t i,
                                  int64_t exponent)
{
    const int32_t v = padici_tree_val(p, i);
    const int64_t k = exponent - v;
    uint64_t step, u[2];
    if (v == PADIC_NUM_ZERO || k < 0 || k >= r->precision) return 0;
    if (r->form == PADIC_NUM_RX) {
        const uint64_t at = padici_num_at(r, p, i, &step);
        const uint64_t limb = padici_word(r, p->unit, at + (uint64_t)k / r->limb_digits * step);
        return limb / r->power[k % r->limb_digits][0] % r->p;
    }
    padici_tree_load(r, p, i, u);
    padici_ring_down(r, u, u, (uint64_t)k);
    return padici_ring_digit(r, u);
}

// How many low digits two units share.
static uint64_t padici_tree_shared(const padic_num_ring *r, const padic_num_planes *a, uint64_t i,
                                   const padic_num_planes *b, uint64_t j)
{
    uint64_t step, unit, x[2], y[2];
    uint32_t k;
    if (r->form != PADIC_NUM_RX) {
        padici_tree_load(r, a, i, x);
        padici_tree_load(r, b, j, y);
        padici_ring_sub(r, x, x, y);
        return padici_ring_valuation(r, x);
    }
    i = padici_num_at(r, a, i, &step);
    j = padici_num_at(r, b, j, &step);
    for (k = 0; k < r->words; k++) {
        x[0] = padici_word(r, a->unit, i + k * step);
        y[0] = padici_word(r, b->unit, j + k * step);
        if (x[0] != y[0])
            return (uint64_t)k * r->limb_digits +
                   padici_split1(r, x[0] > y[0] ? x[0] - y[0] : y[0] - x[0], &unit);
    }
    return r->precision;
}

// Where two numbers part, EQUAL if they do not; *after: the first one comes after the second.
static uint64_t padici_tree_place(const padic_num_ring *r, const padic_num_planes *a, uint64_t i,
                                  const padic_num_planes *b, uint64_t j, int *after)
{
    const int32_t v = padici_tree_val(a, i), w = padici_tree_val(b, j);
    int64_t e = v < w ? v : w;
    uint64_t x, y;
    if (v == w) e += (int64_t)padici_tree_shared(r, a, i, b, j);
    x = padici_tree_digit(r, a, i, e);
    y = padici_tree_digit(r, b, j, e);
    *after = x > y;
    return x == y ? PADICI_TREE_EQUAL : padici_tree_limit(e) | padici_clz64(x ^ y);
}

// The same of two ids, which always part (an id and itself in the last bit).
static uint64_t padici_tree_part(const padic_num_ring *r, const padic_num_planes *p, uint32_t a,
                                 uint32_t b, int *after)
{
    const uint64_t place = padici_tree_place(r, p, a, p, b, after);
    if (place != PADICI_TREE_EQUAL) return place;
    *after = a > b;
    return place | padici_clz64((a ^ b) | 1);
}

// A leaf that shares with element i of the planes q at least what any leaf does.
static uint32_t padici_tree_descend(const padic_num_tree *tree, const padic_num_planes *q,
                                    uint64_t i, uint32_t id)
{
    const padic_num_ring *r = tree->points.ring;
    uint64_t exponent = UINT64_MAX, digit = 0;
    uint32_t link = tree->root;
    while (link >= PADICI_TREE_INNER) {
        const padic_num_tree_node *n = padici_tree_node(tree, link);
        if (n->place >> 6 != exponent) {
            exponent = n->place >> 6;
            digit = n->place >= PADICI_TREE_EQUAL
                        ? id
                        : padici_tree_digit(r, q, i, padici_tree_exponent(n->place));
        }
        link = n->child[digit >> (63 - (n->place & 63)) & 1];
    }
    return link;
}

// room: src/num/tree_insert.c
// ---- memory, insert, erase

static void padici_tree_clear(padic_num_tree *tree)
{
    uint64_t i;
    for (i = 0; i < tree->points.count; i++) tree->leaf[i] = PADIC_NUM_TREE_NONE;
    tree->count = tree->used = 0;
    tree->root = tree->free = PADIC_NUM_TREE_NONE;
    tree->index = NULL;
}

PADIC_API size_t padic_num_tree_bound(const padic_num_array *points, uint64_t capacity)
{
    uint64_t size;
    if (!points || points->count > PADICI_TREE_INNER - 2) return 0;
    if (!capacity || capacity > points->count) capacity = points->count;
    size = capacity * (sizeof(padic_num_tree_node) + 4) + points->count * 4 + 8;
    return size > (size_t)-1 / 2 ? 0 : (size_t)size;
}

PADIC_API padic_result padic_num_tree_init(padic_num_tree *tree, const padic_num_array *points,
                                           uint64_t capacity, void *memory, size_t size)
{
    padic_num_planes planes;
    padic_result result;
    if (!tree) return PADIC_ERROR_ARGUMENT;
    memset(tree, 0, sizeof *tree);
    if (!points || !memory || !padici_ring_is(points->ring)) return PADIC_ERROR_ARGUMENT;
    if (!padici_aligned(memory, 8)) return PADIC_ERROR_ALIGNMENT;
    if ((uint32_t)points->model > PADIC_NUM_FLOAT || points->ring->composite)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (!padic_num_tree_bound(points, capacity)) return PADIC_ERROR_LIMIT;
    if (size < padic_num_tree_bound(points, capacity)) return PADIC_ERROR_CAPACITY;
    if ((result = padici_num_planes_of(NULL, points, &planes)) != PADIC_OK) return result;
    if (!capacity || capacity > points->count) capacity = points->count;
    tree->points = *points;
    tree->capacity = (uint32_t)capacity;
    tree->node = (padic_num_tree_node *)memory;
    tree->leaf = (uint32_t *)(void *)(tree->node + capacity);
    tree->work = tree->leaf + points->count;
    padici_tree_clear(tree);
    return PADIC_OK;
}

// Below `up` stands `link` instead of `old`.
static void padici_tree_replace(padic_num_tree *tree, uint32_t up, uint32_t old, uint32_t link)
{
    uint32_t *const child = up == PADICI_TREE_ROOT ? NULL : padici_tree_node(tree, up)->child;
    if (child)
        child[child[1] == old] = link;
    else
        tree->root = link;
}

// Puts inner node `number` above `link`, and a leaf beside that: at the right if `right`.
static void padici_tree_graft(padic_num_tree *tree, uint32_t number, uint64_t place, uint32_t link,
                              uint32_t id, uint32_t right)
{
    padic_num_tree_node *n = &tree->node[number];
    uint32_t *const up = padici_tree_up(tree, link);
    const uint32_t self = number + PADICI_TREE_INNER;
    n->place = place;
    n->parent = *up;
    n->child[right] = id;
    n->child[!right] = link;
    n->count = padici_tree_leaves(tree, link) + 1;
    padici_tree_replace(tree, *up, link, self);
    *up = tree->leaf[id] = self;
}

static padic_result padici_tree_insert(padic_num_tree *tree, const padic_num_planes *p, uint64_t id)
{
    uint32_t link, up, number;
    uint64_t place;
    int after;
    if (id >= tree->points.count || tree->leaf[id] != PADIC_NUM_TREE_NONE)
        return PADIC_ERROR_ARGUMENT;
    if (padici_tree_val(p, id) == PADIC_NUM_NAN) return PADIC_ERROR_DOMAIN;
    if (tree->count == tree->capacity) return PADIC_ERROR_CAPACITY;
    tree->index = NULL;
    if (!tree->count++) {
        tree->root = (uint32_t)id;
        tree->leaf[id] = PADICI_TREE_ROOT;
        return PADIC_OK;
    }
    link = padici_tree_descend(tree, p, id, (uint32_t)id);
    place = padici_tree_part(tree->points.ring, p, (uint32_t)id, link, &after);
    while (padici_tree_above(tree, link) > place) link = *padici_tree_up(tree, link);
    number = tree->free == PADIC_NUM_TREE_NONE ? tree->used++ : tree->free;
    if (number == tree->free) tree->free = tree->node[number].child[0];
    padici_tree_graft(tree, number, place, link, (uint32_t)id, (uint32_t)after);
    for (up = tree->node[number].parent; up != PADICI_TREE_ROOT; up = *padici_tree_up(tree, up))
        padici_tree_node(tree, up)->count++;
    return PADIC_OK;
}

PADIC_API padic_result padic_num_tree_insert(padic_num_tree *tree, uint64_t id)
{
    padic_num_planes p;
    padic_result result;
    if (!tree || !tree->leaf) return PADIC_ERROR_ARGUMENT;
    result = padici_num_planes_of(NULL, &tree->points, &p);
    return result ? result : padici_tree_insert(tree, &p, id);
}

static int padici_tree_has(const padic_num_tree *tree, uint64_t id)
{
    return tree && tree->leaf && id < tree->points.count &&
           tree->leaf[id] != PADIC_NUM_TREE_NONE;
}

PADIC_API padic_result padic_num_tree_erase(padic_num_tree *tree, uint64_t id)
{
    uint32_t link, up, other;
    padic_num_tree_node *n;
    if (!padici_tree_has(tree, id)) return PADIC_ERROR_ARGUMENT;
    link = tree->leaf[id];
    tree->leaf[id] = PADIC_NUM_TREE_NONE;
    tree->index = NULL;
    tree->count--;
    if (link == PADICI_TREE_ROOT) {
        tree->root = PADIC_NUM_TREE_NONE;
        return PADIC_OK;
    }
    n = padici_tree_node(tree, link);
    other = n->child[n->child[0] == id];
    up = *padici_tree_up(tree, other) = n->parent;
    padici_tree_replace(tree, up, link, other);
    n->count = 0;
    n->child[0] = tree->free;
    tree->free = link - PADICI_TREE_INNER;
    for (; up != PADICI_TREE_ROOT; up = *padici_tree_up(tree, up))
        padici_tree_node(tree, up)->count--;
    return PADIC_OK;
}

PADIC_API padic_result padic_num_tree_build(padic_num_tree *tree, const padic_tensor *ids)
{
    padic_num_planes p;
    uint64_t n, i;
    void *list = NULL;
    padic_result result = PADIC_OK;
    if (!tree || !tree->leaf) return PADIC_ERROR_ARGUMENT;
    padici_tree_clear(tree);
    n = tree->points.count;
    if (ids && !(result = padici_tensor_check_shape(ids, &n)))
        result = padici_num_plane(NULL, ids, n, 1u << PADIC_U32, &list);
    if (!result) result = padici_num_planes_of(NULL, &tree->points, &p);
    for (i = 0; !result && i < n; i++)
        result = padici_tree_insert(tree, &p, list ? ((const uint32_t *)list)[i] : i);
    if (result) padici_tree_clear(tree);
    return result;
}

// room: src/num/tree_ancestors.c
// ---- lowest common ancestors
//
// The depth of the LCA of two leaves is the smallest exponent of the nodes in the gaps between
// them. In padic_num_tree.index: the rank of each id, then for l = 0, 1, ... the smallest exponent
// of 2^l gaps from each gap on.

PADIC_API size_t padic_num_tree_index_bound(const padic_num_tree *tree)
{
    uint64_t size, l;
    if (!tree || !tree->leaf) return 0;
    size = tree->points.count + tree->count;
    for (l = 2; l < tree->count; l *= 2) size += tree->count;
    return size > (size_t)-1 / 8 ? 0 : (size_t)(4 * size);
}

PADIC_API padic_result padic_num_tree_index(padic_num_tree *tree, void *memory, size_t size)
{
    const uint32_t n = tree ? tree->count : 0;
    uint32_t *rank, link, i, half;
    int32_t *least;
    if (!tree || !tree->leaf || !memory) return PADIC_ERROR_ARGUMENT;
    if (!padici_aligned(memory, 4)) return PADIC_ERROR_ALIGNMENT;
    if (size < padic_num_tree_index_bound(tree)) return PADIC_ERROR_CAPACITY;
    rank = (uint32_t *)memory;
    least = (int32_t *)(void *)(rank + tree->points.count);
    link = n ? padici_tree_first(tree, tree->root, UINT64_MAX) : PADIC_NUM_TREE_NONE;
    for (i = 0; i < n; i++) {
        rank[link] = i;
        if (i + 1 == n) break;
        link = padici_tree_gap(tree, link);
        least[i] = padici_tree_exponent(padici_tree_node(tree, link)->place);
        link = padici_tree_first(tree, padici_tree_node(tree, link)->child[1], UINT64_MAX);
    }
    for (half = 1; 2 * (uint64_t)half < n; half *= 2, least += n)
        for (i = 0; i + 2 * (uint64_t)half < n; i++)
            least[n + i] = least[i] < least[i + half] ? least[i] : least[i + half];
    tree->index = rank;
    return PADIC_OK;
}

PADIC_API padic_result padic_num_tree_lca(const padic_num_tree *tree, uint64_t a, uint64_t b,
                                          int32_t *depth)
{
    padic_num_planes p;
    padic_result result;
    int after;
    if (!depth || !padici_tree_has(tree, a) || !padici_tree_has(tree, b))
        return PADIC_ERROR_ARGUMENT;
    *depth = PADIC_NUM_ZERO;
    if (a == b) return PADIC_OK;
    if (tree->index) {
        const uint32_t x = tree->index[a], y = tree->index[b];
        const uint32_t from = x < y ? x : y, gaps = x < y ? y - x : x - y;
        const uint32_t l = 31 - padici_clz32(gaps);
        const int32_t *least = (const int32_t *)(const void *)(tree->index + tree->points.count) +
                               (size_t)l * tree->count;
        const int32_t v = least[from], w = least[from + gaps - (UINT32_C(1) << l)];
        *depth = v < w ? v : w;
        return PADIC_OK;
    }
    if ((result = padici_num_planes_of(NULL, &tree->points, &p)) != PADIC_OK) return result;
    *depth = padici_tree_exponent(padici_tree_place(tree->points.ring, &p, a, &p, b, &after));
    return PADIC_OK;
}

// room: src/num/tree_queries.c
// ---- queries

// The subtree of the leaves y with v(x - y) >= r that `leaf` is one of.
static uint32_t padici_tree_ball(const padic_num_tree *tree, uint32_t leaf, int64_t r)
{
    while (padici_tree_above(tree, leaf) >= padici_tree_limit(r) &&
           *padici_tree_up(tree, leaf) != PADICI_TREE_ROOT)
        leaf = *padici_tree_up(tree, leaf);
    return leaf;
}

// Copies the leaves of a subtree, at most `room`; how many.
static uint64_t padici_tree_list(const padic_num_tree *tree, uint32_t top, uint32_t *ids,
                                 uint64_t room)
{
    uint64_t n = 0;
    uint32_t link = room ? padici_tree_first(tree, top, UINT64_MAX) : PADIC_NUM_TREE_NONE;
    while (link != PADIC_NUM_TREE_NONE) {
        ids[n++] = link;
        link = n < room ? padici_tree_next(tree, link, top, UINT64_MAX) : PADIC_NUM_TREE_NONE;
    }
    return n;
}

typedef struct padici_tree_task {
    const padic_num_tree *tree;
    padic_num_planes points;
    uint64_t k;
} padici_tree_task;

// The k nearest of one number: its closest ball, then ring by ring what larger balls add.
static uint64_t padici_tree_nearest_one(const padici_tree_task *task, const padic_num_planes *q,
                                        uint64_t i, uint32_t *ids, int32_t *val)
{
    const padic_num_tree *tree = task->tree;
    uint64_t n = 0, m;
    uint32_t ball = PADIC_NUM_TREE_NONE, inner, link;
    int after;
    if (tree->count) {
        const uint32_t leaf = padici_tree_descend(tree, q, i, 0);
        uint64_t place = padici_tree_place(tree->points.ring, q, i, &task->points, leaf, &after);
        for (ball = leaf; n < task->k;) {
            const int32_t e = padici_tree_exponent(place);
            inner = n ? ball : PADIC_NUM_TREE_NONE;
            ball = padici_tree_ball(tree, ball, e);
            link = padici_tree_first(tree, ball, padici_tree_limit((int64_t)e + 1));
            for (; link != PADIC_NUM_TREE_NONE && n < task->k;
                 link = padici_tree_next(tree, link, ball, padici_tree_limit((int64_t)e + 1))) {
                if (link == inner) continue;
                m = padici_tree_list(tree, link, ids + n, task->k - n);
                for (; m > 0; m--, n++)
                    if (val) val[n] = e;
            }
            place = padici_tree_above(tree, ball);
            if (*padici_tree_up(tree, ball) == PADICI_TREE_ROOT) break;
        }
    }
    return n;
}

static void padici_tree_nearest_loop(padic_num_call *call)
{
    const padici_tree_task *task = (const padici_tree_task *)call->options;
    const uint64_t k = task->k;
    uint64_t i, n;
    for (i = 0; i < call->count; i++) {
        uint32_t *ids = (uint32_t *)call->other[0] + i * k;
        int32_t *val = call->other[1] ? (int32_t *)call->other[1] + i * k : NULL;
        n = 0;
        if (padici_tree_val(&call->a, i) == PADIC_NUM_NAN)
            call->bits |= PADIC_NUM_OUTSIDE;
        else
            n = padici_tree_nearest_one(task, &call->a, i, ids, val);
        for (; n < k; n++) {
            ids[n] = PADIC_NUM_TREE_NONE;
            if (val) val[n] = PADIC_NUM_NAN;
        }
    }
}

// Do the numbers of a query go with the tree?
static padic_result padici_tree_query(const padic_num_tree *tree, const padic_num_array *query)
{
    if (!tree || !tree->leaf || !query || !padici_ring_is(query->ring)) return PADIC_ERROR_ARGUMENT;
    return padici_ring_equal(query->ring, tree->points.ring) && query->model == tree->points.model
               ? PADIC_OK
               : PADIC_ERROR_RING;
}

PADIC_API padic_result padic_num_tree_nearest(padic_context *context,
                                              const padic_num_tree_nearest_desc *desc)
{
    padici_num_task task;
    padici_tree_task own;
    uint64_t n;
    padic_result result = desc ? padici_tree_query(desc->tree, &desc->query) : PADIC_ERROR_ARGUMENT;
    padici_blame(context, result, !desc ? NULL : "query", NULL,
                 !desc                         ? "desc is NULL"
                 : result == PADIC_ERROR_RING ? NULL
                                              : "has no ring, or tree is NULL or not made");
    if (!result) {
        result = padici_tensor_check_shape(&desc->ids, &n);
        if (!result && desc->query.count && n % desc->query.count) result = PADIC_ERROR_MISMATCH;
        padici_blame(context, result, "ids", NULL, NULL);
    }
    if (!result) {
        result = padici_num_planes_of(context, &desc->tree->points, &own.points);
        padici_blame(context, result, "tree", NULL, NULL);
    }
    if (result) return padici_fault(context, result, "num_tree_nearest");
    if (!n || !desc->query.count) return PADIC_OK;
    own.tree = desc->tree;
    own.k = n / desc->query.count;
    padici_num_task_begin(&task, "num_tree_nearest", 0, padici_tree_nearest_loop, NULL,
                          &desc->query, NULL, NULL);
    task.field[1] = "query";
    task.other_field[0] = "ids";
    task.other_field[1] = "val";
    task.call.options = &own;
    task.other[0] = &desc->ids;
    task.other_dtypes[0] = 1u << PADIC_U32;
    if (desc->val.dtype || desc->val.data) task.other[1] = &desc->val;
    task.other_dtypes[1] = 1u << PADIC_I32;
    task.other_each[0] = task.other_each[1] = own.k;
    task.other_out = 3;
    return padici_num_run(context, &task);
}

PADIC_API padic_result padic_num_tree_ball(const padic_num_tree *tree, const padic_num_array *query,
                                           uint64_t index, int32_t r, const padic_tensor *ids,
                                           uint64_t *count)
{
    padic_num_planes p, q;
    uint64_t room = 0;
    void *list = NULL;
    uint32_t link;
    int after;
    padic_result result = padici_tree_query(tree, query);
    if (!result && (!count || index >= query->count)) result = PADIC_ERROR_ARGUMENT;
    if (!result) result = padici_num_planes_of(NULL, &tree->points, &p);
    if (!result) result = padici_num_planes_of(NULL, query, &q);
    if (!result && ids) {
        result = padici_tensor_check_shape(ids, &room);
        if (!result) result = padici_num_plane(NULL, ids, room, 1u << PADIC_U32, &list);
    }
    if (result) return result;
    if (padici_tree_val(&q, index) == PADIC_NUM_NAN) return PADIC_ERROR_DOMAIN;
    *count = 0;
    if (!tree->count) return PADIC_OK;
    link = padici_tree_descend(tree, &q, index, 0);
    if (padici_tree_place(tree->points.ring, &q, index, &p, link, &after) < padici_tree_limit(r))
        return PADIC_OK;
    link = padici_tree_ball(tree, link, r);
    *count = padici_tree_leaves(tree, link);
    padici_tree_list(tree, link, (uint32_t *)list, room);
    return PADIC_OK;
}

PADIC_API padic_result padic_num_tree_clusters(const padic_num_tree *tree, int32_t r,
                                               const padic_tensor *label, uint64_t *clusters)
{
    const uint64_t limit = padici_tree_limit(r);
    void *plane;
    uint32_t *to, ball, link;
    uint64_t i, n = 0;
    padic_result result;
    if (!tree || !tree->leaf || !label) return PADIC_ERROR_ARGUMENT;
    result = padici_num_plane(NULL, label, tree->points.count, 1u << PADIC_U32, &plane);
    if (result) return result;
    to = (uint32_t *)plane;
    for (i = 0; i < tree->points.count; i++) to[i] = PADIC_NUM_TREE_NONE;
    ball = tree->count ? padici_tree_first(tree, tree->root, limit) : PADIC_NUM_TREE_NONE;
    for (; ball != PADIC_NUM_TREE_NONE; n++) {
        const uint32_t first = padici_tree_first(tree, ball, UINT64_MAX);
        uint32_t least = first;
        for (link = first; link != PADIC_NUM_TREE_NONE;
             link = padici_tree_next(tree, link, ball, UINT64_MAX))
            if (link < least) least = link;
        for (link = first; link != PADIC_NUM_TREE_NONE;
             link = padici_tree_next(tree, link, ball, UINT64_MAX))
            to[link] = least;
        ball = padici_tree_next(tree, ball, tree->root, limit);
    }
    if (clusters) *clusters = n;
    return PADIC_OK;
}

// room: src/num/tree_bytes.c
// ---- validate, write, read

// Whether an inner node in use fits its parent and children. If all do, places grow downwards, so
// there is no cycle, and the one root reaches them all.
static int padici_tree_sound(const padic_num_tree *tree, uint32_t number)
{
    const padic_num_tree_node *n = &tree->node[number];
    const uint32_t self = number + PADICI_TREE_INNER;
    uint64_t sum = 0;
    uint32_t k;
    if (n->child[0] == n->child[1] || (n->parent == PADICI_TREE_ROOT) != (tree->root == self))
        return 0;
    for (k = 0; k < 2; k++) {
        const uint32_t c = n->child[k];
        if (c < PADICI_TREE_INNER) {
            if (c >= tree->points.count) return 0;
        } else if (c - PADICI_TREE_INNER >= tree->used || !padici_tree_node(tree, c)->count ||
                   padici_tree_node(tree, c)->place <= n->place) {
            return 0;
        }
        if (*padici_tree_up(tree, c) != self) return 0;
        sum += padici_tree_leaves(tree, c);
    }
    return n->count == sum;
}

// Every link leads somewhere, and back.
static int padici_tree_linked(const padic_num_tree *tree)
{
    uint32_t i, k, inner = 0, leaves = 0, spare = 0;
    uint64_t id;
    if (tree->used > tree->capacity || tree->count > tree->capacity) return 0;
    for (i = 0; i < tree->used; i++) {
        if (tree->node[i].count && !padici_tree_sound(tree, i)) return 0;
        inner += tree->node[i].count != 0;
    }
    for (id = 0; id < tree->points.count; id++) {
        const uint32_t up = tree->leaf[id];
        if (up == PADIC_NUM_TREE_NONE) continue;
        leaves++;
        if (up == PADICI_TREE_ROOT) {
            if (tree->root != id) return 0;
            continue;
        }
        if (up < PADICI_TREE_INNER || up - PADICI_TREE_INNER >= tree->used ||
            !padici_tree_node(tree, up)->count ||
            (padici_tree_node(tree, up)->child[0] != id &&
             padici_tree_node(tree, up)->child[1] != id))
            return 0;
    }
    for (k = tree->free; k != PADIC_NUM_TREE_NONE; k = tree->node[k].child[0])
        if (k >= tree->used || tree->node[k].count || ++spare > tree->used) return 0;
    if (leaves != tree->count || spare != tree->used - inner) return 0;
    if (!leaves) return !inner && tree->root == PADIC_NUM_TREE_NONE;
    return inner == leaves - 1 &&
           (inner ? tree->root - PADICI_TREE_INNER < tree->used &&
                        padici_tree_node(tree, tree->root)->count == leaves
                  : tree->root < PADICI_TREE_INNER);
}

PADIC_API padic_result padic_num_tree_validate(const padic_num_tree *tree)
{
    padic_num_planes p;
    uint32_t link, next, up;
    int after;
    padic_result result;
    if (!tree || !tree->leaf || !padici_ring_is(tree->points.ring)) return PADIC_ERROR_ARGUMENT;
    if ((result = padici_num_planes_of(NULL, &tree->points, &p)) != PADIC_OK) return result;
    if (!padici_tree_linked(tree)) return PADIC_ERROR_CORRUPT;
    if (!tree->count) return PADIC_OK;
    link = padici_tree_first(tree, tree->root, UINT64_MAX);
    if (padici_tree_val(&p, link) == PADIC_NUM_NAN) return PADIC_ERROR_CORRUPT;
    for (;; link = next) {
        next = padici_tree_next(tree, link, tree->root, UINT64_MAX);
        if (next == PADIC_NUM_TREE_NONE) return PADIC_OK;
        up = padici_tree_gap(tree, link);
        if (padici_tree_val(&p, next) == PADIC_NUM_NAN ||
            padici_tree_part(tree->points.ring, &p, next, link, &after) !=
                padici_tree_node(tree, up)->place ||
            !after)
            return PADIC_ERROR_CORRUPT;
    }
}

#define PADICI_TREE_HEAD 32u
#define PADICI_TREE_SEED 0x545044u

// Bytes of a stream, and in at[] where bits, ids and checksum begin.
static uint64_t padici_tree_layout(uint64_t leaves, uint64_t bits, uint64_t at[3])
{
    at[0] = PADICI_TREE_HEAD;
    at[1] = at[0] + (bits + 63) / 64 * 8;
    at[2] = at[1] + (leaves + 1) / 2 * 8;
    return at[2] + 8;
}

// The p-ary tree in level order, a bit at a time: written to `out`, or compared with the `bits`
// bits of `in`; how many there are, 0 if they differ. No more links than leaves ever wait in
// tree->work.
static uint64_t padici_tree_levels(const padic_num_tree *tree, uint8_t *out, const uint8_t *in,
                                   uint64_t bits)
{
    uint64_t head = 0, tail = 1, at = 0;
    if (!tree->count) return 0;
    tree->work[0] = tree->root;
    for (; head < tail; head++) {
        const uint32_t top = tree->work[head % tree->count];
        uint64_t limit = 0;
        uint32_t link = PADIC_NUM_TREE_NONE;
        if (top >= PADICI_TREE_INNER) {
            limit = ((padici_tree_node(tree, top)->place >> 6) + 1) << 6;
            link = padici_tree_first(tree, top, limit);
        }
        for (;; at++) {
            const uint32_t bit = link != PADIC_NUM_TREE_NONE;
            if (out) out[at / 8] = (uint8_t)(out[at / 8] | bit << (at & 7));
            if (in && (at >= bits || (uint32_t)(in[at / 8] >> (at & 7) & 1) != bit)) return 0;
            if (!bit) break;
            tree->work[tail++ % tree->count] = link;
            link = padici_tree_next(tree, link, top, limit);
        }
        at++;
    }
    return at;
}

PADIC_API size_t padic_num_tree_write_bound(const padic_num_tree *tree)
{
    uint64_t at[3], n = tree && tree->leaf ? tree->count : 0;
    return tree && tree->leaf ? (size_t)padici_tree_layout(n, 4 * n, at) : 0;
}

PADIC_API padic_result padic_num_tree_write(const padic_num_tree *tree, void *data, size_t size,
                                            size_t *written)
{
    uint8_t *p = (uint8_t *)data;
    uint64_t at[3], bits, total;
    uint32_t link = 0, i;
    if (!tree || !tree->leaf || !written) return PADIC_ERROR_ARGUMENT;
    bits = padici_tree_levels(tree, NULL, NULL, 0);
    total = padici_tree_layout(tree->count, bits, at);
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
    padici_tree_levels(tree, p + at[0], NULL, 0);
    for (i = 0; i < tree->count; i++) {
        link = i ? padici_tree_next(tree, link, tree->root, UINT64_MAX)
                 : padici_tree_first(tree, tree->root, UINT64_MAX);
        padici_store32(p + at[1] + 4 * (size_t)i, link);
    }
    padici_store64(p + at[2], padici_checksum(p, (size_t)at[2], PADICI_TREE_SEED));
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
    padici_tree_clear(tree);
    if (size < PADICI_TREE_HEAD + 8 || memcmp(p, "PDT", 3)) return PADIC_ERROR_CORRUPT;
    if (p[3] != '1') return PADIC_ERROR_VERSION;
    n = padici_load32(p + 12);
    bits = padici_load64(p + 24);
    if (bits > 4 * n || (bits & 1) != (n != 0) || padici_tree_layout(n, bits, at) != size)
        return PADIC_ERROR_CORRUPT;
    if (padici_load64(p + at[2]) != padici_checksum(p, (size_t)at[2], PADICI_TREE_SEED))
        return PADIC_ERROR_CHECKSUM;
    if (padici_load32(p + 4) != (uint32_t)tree->points.model ||
        padici_load32(p + 8) != tree->points.ring->precision ||
        padici_load64(p + 16) != tree->points.ring->p)
        return PADIC_ERROR_RING;
    if (n > tree->capacity) return PADIC_ERROR_CAPACITY;
    result = padici_num_planes_of(NULL, &tree->points, &planes);
    for (i = 0; !result && i < n; i++)
        result = padici_tree_insert(tree, &planes, padici_load32(p + at[1] + 4 * i));
    if (result) {
        padici_tree_clear(tree);
        return PADIC_ERROR_CORRUPT;
    }
    // As it would be written, bit for bit, padding too.
    for (i = 0; i < n; i++) {
        link = i ? padici_tree_next(tree, link, tree->root, UINT64_MAX)
                 : padici_tree_first(tree, tree->root, UINT64_MAX);
        if (padici_load32(p + at[1] + 4 * i) != link) result = PADIC_ERROR_CORRUPT;
    }
    if (padici_tree_levels(tree, NULL, p + at[0], bits) != bits) result = PADIC_ERROR_CORRUPT;
    for (i = bits; i < (at[1] - at[0]) * 8; i++)
        if (p[at[0] + i / 8] >> (i & 7) & 1) result = PADIC_ERROR_CORRUPT;
    if (n & 1 && padici_load32(p + at[2] - 4)) result = PADIC_ERROR_CORRUPT;
    if (result) padici_tree_clear(tree);
    return result;
}

// Self hash

#define PADICI_HASH_COUNT 8u

// Everything lies in the caller's memory, since one array takes most of a stack frame.
typedef struct padici_hash_work {
    padic_num_ring ring;
    padic_num_array a, b, x;
    padic_num_random_desc random;
    padic_num_from_int_desc from_int;
    padic_num_to_rational_desc to_rational;
    int64_t integers[2][PADICI_HASH_COUNT];
    uint32_t sticky;
    unsigned char bytes[2048];
} padici_hash_work;

// The byte form of an array is the same everywhere, so is its checksum. 0 if anything failed.
static uint64_t padici_hash_array(uint64_t hash, padic_result result, padici_hash_work *w)
{
    size_t size = 0;
    if (!result) result = padic_num_write(NULL, &w->x, w->bytes, sizeof w->bytes, &size);
    return result ? 0 : padici_mix(hash ^ padici_checksum(w->bytes, size, hash));
}

// a and b hold random residues; x is room.
static uint64_t padici_hash_ring(uint64_t hash, padici_hash_work *w)
{
    const padic_num_array *a = &w->a, *b = &w->b, *x = &w->x;
    hash = padici_hash_array(hash, padic_num_add(NULL, x, a, b), w);
    hash = padici_hash_array(hash, padic_num_sub(NULL, x, a, b), w);
    hash = padici_hash_array(hash, padic_num_mul(NULL, x, a, b), w);
    hash = padici_hash_array(hash, padic_num_inv(NULL, x, a), w);
    hash = padici_hash_array(hash, padic_num_pow(NULL, x, a, 1000003), w);
    return padici_hash_array(hash, padic_num_fma(NULL, x, a, b, a), w);
}

// a and b hold small integers.
static uint64_t padici_hash_float(uint64_t hash, padici_hash_work *w)
{
    const padic_num_array *a = &w->a, *b = &w->b, *x = &w->x;
    padic_num_to_rational_desc *to = &w->to_rational;
    uint32_t i;
    hash = padici_hash_array(hash, padic_num_div(NULL, x, a, b), w);
    to->in = *x;
    to->numerator = padic_tensor_1d(PADIC_I64, w->integers[0], PADICI_HASH_COUNT);
    to->denominator = padic_tensor_1d(PADIC_I64, w->integers[1], PADICI_HASH_COUNT);
    to->sticky = &w->sticky;
    if (padic_num_to_rational(NULL, to)) return 0;
    for (i = 0; i < PADICI_HASH_COUNT; i++)
        hash = padici_mix(hash ^ (uint64_t)w->integers[0][i] ^ (uint64_t)w->integers[1][i] << 32);
    hash = padici_hash_array(hash, padic_num_add(NULL, x, x, b), w);
    hash = padici_hash_array(hash, padic_num_square(NULL, x, x), w);
    hash = padici_hash_array(hash, padic_num_sqrt(NULL, x, x), w);
    hash = padici_hash_array(hash, padic_num_teichmueller(NULL, x, a), w);
    hash = padici_hash_array(hash, padic_num_shift(NULL, x, a, a->ring->p == 2 ? 2 : 1), w);
    hash = padici_hash_array(hash, padic_num_exp(NULL, x, x), w);
    return padici_hash_array(hash, padic_num_log(NULL, x, x, 0), w);
}

// Room for an array at `at`, and in it random residues or integers of stream j.
static padic_result padici_hash_fill(padici_hash_work *w, padic_num_array *array,
                                     padic_num_model model, char *at, uint32_t j)
{
    const size_t size = padic_num_array_bound(&w->ring, model, PADICI_HASH_COUNT);
    padic_result result = padic_num_place(array, &w->ring, model, PADICI_HASH_COUNT, at, size);
    uint32_t k;
    array->sticky = &w->sticky;
    if (result || array == &w->x) return result;
    for (k = 0; k < PADICI_HASH_COUNT; k++)
        w->integers[j][k] = (int64_t)(padici_mix(k + 1 + 16 * j) % 2000) - 1000;
    w->random.out = w->from_int.out = *array;
    w->random.stream = j;
    w->from_int.in = padic_tensor_1d(PADIC_I64, w->integers[j], PADICI_HASH_COUNT);
    return model == PADIC_NUM_RING ? padic_num_random(NULL, &w->random)
                                   : padic_num_from_int(NULL, &w->from_int);
}

PADIC_API uint64_t padic_num_self_hash(void *memory)
{
    static const uint32_t rings[7][2] = {{257, 6}, {2, 53}, {2, 20}, {3, 20},
                                         {5, 27},  {257, 12}, {257, 40}};
    const uintptr_t up = (0u - (uintptr_t)memory) & 63;
    char *const base = (char *)memory + (memory ? up : 0);
    char *const planes = base + ((sizeof(padici_hash_work) + 63) & ~(size_t)63);
    const size_t third = (PADIC_NUM_SELF_HASH - 64 - (size_t)(planes - base)) / 192 * 64;
    padici_hash_work *const w = (padici_hash_work *)(void *)base;
    uint64_t hash = 0x9e3779b97f4a7c15u;
    uint32_t i, j;
    if (!memory) return 0;
    for (i = 0; i < 7; i++)
        for (j = PADIC_NUM_RING; j <= PADIC_NUM_BALL; j++) {
            const padic_num_model model = (padic_num_model)j;
            memset(w, 0, sizeof *w);
            if (padic_num_ring_init(&w->ring, rings[i][0], rings[i][1], NULL) ||
                padic_num_array_bound(&w->ring, model, PADICI_HASH_COUNT) > third ||
                padici_hash_fill(w, &w->a, model, planes, 0) ||
                padici_hash_fill(w, &w->b, model, planes + third, 1) ||
                padici_hash_fill(w, &w->x, model, planes + 2 * third, 0))
                return 0;
            hash = j ? padici_hash_float(hash, w) : padici_hash_ring(hash, w);
            if (!hash) return 0;
        }
    return hash;
}

#ifndef PADIC_NO_SPARSE
#define PADICI_AREAS_IMPLEMENTATION
#include "padic_sparse.h"
#undef PADICI_AREAS_IMPLEMENTATION
#endif

// room: src/padic_num.in.h:120
// ------------------------------------------------------------------------- end of implementation

#if defined(__clang__)
#pragma STDC FP_CONTRACT DEFAULT
#elif defined(__GNUC__)
#pragma GCC pop_options
#elif defined(_MSC_VER)
#pragma fp_contract(on)
#endif
#endif // PADIC_IMPLEMENTATION
