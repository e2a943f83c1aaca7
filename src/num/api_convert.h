#pragma once
// ------------------------------------------------------------------------------- >>convert API
//
// Integers, fractions, floats, digits, text and bytes to numbers and back. Tensors are dense. An
// integer tensor is I8 .. I64 or U8 .. U64 with one element for each number; or U64 of shape
// (limbs, count): words of two's complement, the plane of the low words first, so that (2, count)
// is i128. LIMIT: more than 64 limbs, or for a long ring more than 7 for each word of a unit, if
// those are more. Where numbers are read, `status` and `sticky` of the desc get the bits of each
// element, and the RX workspace is that of `in`; else all three are those of `out`. The common
// errors of >>num API hold.

// out = the integers: RING mod P, negative ones as P - |x|; FLOAT, BALL p^v u with all N digits of
// u, 0 is ZERO. No element fails.
typedef struct padic_num_from_int_desc {
    padic_num_array out;
    padic_tensor in;
} padic_num_from_int_desc;
PADIC_API padic_result padic_num_from_int(padic_context *context,
                                          const padic_num_from_int_desc *desc);

typedef enum padic_num_int_mode {
    PADIC_NUM_INT_LEAST = 0,   // of u: [0, P)
    PADIC_NUM_INT_BALANCED = 1 // |u| < P / 2; p = 2: two's complement, [-P / 2, P / 2)
} padic_num_int_mode;

// out = p^v u, u the least or the balanced residue mod P (BALL: mod p^n). Where there is none, 0
// and OUTSIDE (v < 0), RANGE (too wide for `out`), or the status of a NaN. O(p^a), a >= 0: 0,
// PRECLOSS.
typedef struct padic_num_to_int_desc {
    padic_num_array in;
    padic_tensor out; // an integer tensor
    padic_num_int_mode mode;
    padic_tensor status; // optional, U8
    uint32_t *sticky;    // optional
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
    PADIC_NUM_FLOAT_DIRECT = 0, // x itself, m 2^e as a p-adic number
    PADIC_NUM_FLOAT_SPLIT = 1,  // m as an integer, e in an I16 plane (0: m = e = 0). Lossless if P
                                // is at least 2^9, 2^12, 2^25, 2^54 for bf16, f16, f32, f64, at
                                // any p
    PADIC_NUM_FLOAT_SCALED = 2  // the integer nearest to x 2^scale, ties to even; |error| at most
                                // half of 2^-scale
} padic_num_float_mode;

// Inf, NaN: OUTSIDE. -0: zero with INEXACT. SCALED: INEXACT if rounded, RANGE if the integer is not
// below P / 2. DIRECT in a RING, p = 2: NONUNIT if x is no integer.
typedef struct padic_num_from_float_desc {
    padic_num_array out;
    padic_tensor in; // F16, BF16, F32, F64
    padic_num_float_mode mode;
    int32_t scale;         // SCALED; keep it with the data. |scale| <= 2^20, else LIMIT
    padic_tensor exponent; // SPLIT: I16, written, one for each number; else ARGUMENT if given
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
    int32_t scale;         // SCALED: that of padic_num_from_float()
    padic_tensor exponent; // SPLIT: I16, one for each number; else ARGUMENT if given
    padic_tensor status;   // optional, U8
    uint32_t *sticky;      // optional
} padic_num_to_float_desc;
PADIC_API padic_result padic_num_to_float(padic_context *context,
                                          const padic_num_to_float_desc *desc);

typedef enum padic_num_digit_kind {
    PADIC_NUM_DIGITS_STANDARD = 0,     // u = sum d_i p^i, d_i in [0, p)
    PADIC_NUM_DIGITS_BALANCED = 1,     // d_i in (-p / 2, p / 2]; p = 2: as STANDARD
    PADIC_NUM_DIGITS_TEICHMUELLER = 2  // u = sum w(d_i) p^i, w(d) the Teichmueller lift of d in
                                       // [0, p)
} padic_num_digit_kind;

typedef enum padic_num_layout {
    PADIC_NUM_LAYOUT_PLANES = 0, // shape (N, count): all d_0, then all d_1, ...
    PADIC_NUM_LAYOUT_ROWS = 1    // shape (count, N)
} padic_num_layout;

// The N digits of u, mod P, and back. U8 .. U64, or I8 .. I64 for BALANCED; a type that cannot hold
// all digits (p = 257 needs 16 bits) is ARGUMENT. v and n of FLOAT and BALL are written to `val`
// and `known`, and read from there (missing: v = 0, n = N); of a NaN the digits are those of its
// status byte. From digits: a digit out of range makes its element NaN (RING 0) with OUTSIDE, and
// the number is made canonical. A radix that is not a prime: RING, not TEICHMUELLER (else
// NOT_SUPPORTED).
typedef struct padic_num_to_digits_desc {
    padic_num_array in;
    padic_tensor digits;
    padic_num_digit_kind kind;
    padic_num_layout layout;
    padic_tensor val;    // optional, I32
    padic_tensor known;  // optional, U8 or U16
    padic_tensor status; // optional, U8
    uint32_t *sticky;    // optional
} padic_num_to_digits_desc;
PADIC_API padic_result padic_num_to_digits(padic_context *context,
                                           const padic_num_to_digits_desc *desc);
typedef struct padic_num_from_digits_desc {
    padic_num_array out;
    padic_tensor digits;
    padic_num_digit_kind kind;
    padic_num_layout layout;
    padic_tensor val, known; // optional, as above
} padic_num_from_digits_desc;
PADIC_API padic_result padic_num_from_digits(padic_context *context,
                                             const padic_num_from_digits_desc *desc);

// out[i] = floor(P w / 2^s), uniform in [0, P) but for 2^-64: w are the s = 128 B bits, B least
// with s >= bits(P) + 64, of the Philox blocks B i to B i + B - 1 of (seed, stream), the first
// lowest (block k has step k / 2^32). The same numbers in every form. FLOAT, BALL: that integer,
// known mod P. Errors: LIMIT (first, or first + count above 2^48), and the common ones.
typedef struct padic_num_random_desc {
    padic_num_array out;
    uint64_t seed, stream;
    uint64_t first; // i of the first element; below 2^48
} padic_num_random_desc;
PADIC_API padic_result padic_num_random(padic_context *context, const padic_num_random_desc *desc);

// Returns the least N with which every number that the desc names comes back from a ring of p:
// integers |x| <= greatest_numerator, balanced (P > 2 greatest_numerator); with a denominator the
// fractions n / d, |n| <= greatest_numerator, 0 < d <= greatest_denominator, with the same limits
// given to padic_num_to_rational() (its defaults suffice where the two are equal), and one guard
// digit (P > 2 p greatest_numerator greatest_denominator); floats of `dtype`, SPLIT (p = 2: DIRECT,
// too). 0 if p is no prime below 2^63, if there is a denominator without a numerator, or `dtype` is
// no float.
typedef struct padic_num_ring_fit_desc {
    uint64_t p;
    uint64_t greatest_numerator;
    uint64_t greatest_denominator; // 0: integers
    padic_dtype dtype;             // F16, BF16, F32, F64; NONE: no floats
} padic_num_ring_fit_desc;
PADIC_API uint32_t padic_num_ring_fit(const padic_num_ring_fit_desc *desc);

// Text of one number; no locale, no float on the way, and parsing gives it back bit by bit.
typedef enum padic_num_text {
    PADIC_NUM_TEXT_VALUE = 0, // RING "12345 mod 257^6"; FLOAT "12345 * 257^-2", "12345" (v = 0);
                              // BALL "12345 * 257^-2 + O(257^4)", "O(257^4)"; "0"; "nan(DIV0)"
    PADIC_NUM_TEXT_DIGITS = 1 // "...4 2 0 (5)", "...4 2 0 (5) * 5^-2": the N (BALL: n) digits of u,
                              // the highest first; specials as above
} padic_num_text;

// Returns the bytes that padic_num_print() needs at most, with its final 0; 0 for a bad ring or
// style.
PADIC_API uint64_t padic_num_print_size_bound(const padic_num_ring *ring, padic_num_text style);
// Writes one number and a final 0. Errors: CAPACITY, REGION (an index beyond the array), ARGUMENT,
// OVERLAP (`out` and the array share memory; nothing is written), NOT_SUPPORTED (a composite radix,
// but RING), and the common ones.
typedef struct padic_num_print_report {
    uint64_t size; // bytes written without the 0; with CAPACITY: the capacity needed
} padic_num_print_report;
typedef struct padic_num_print_desc {
    padic_num_array in;
    uint64_t index;
    padic_num_text style;
    padic_bytes out;                // capacity 0: only its size is asked for
    padic_num_print_report *report; // optional
} padic_num_print_desc;
PADIC_API padic_result padic_num_print(padic_context *context, const padic_num_print_desc *desc);

// Reads what print writes, and -7/3, -12.375, 1e-3 as the exact fractions they are, each with
// "* p^v", "mod p^N" (RING), "+ O(p^a)" (BALL); spaces anywhere between; at most 1,200 decimal
// digits, or 130 for each word of a long ring. With a radix that is not a prime: integers and
// digits. Errors: CORRUPT (not such a text, more decimal digits, or an exponent above 2^30), DOMAIN
// (another prime, precision or model; or the element has no result, as 1/0, and `out` neither
// status plane nor sticky word to say so), REGION, ARGUMENT, NOT_SUPPORTED (a composite radix, but
// RING), and the common ones.
typedef struct padic_num_parse_report {
    uint64_t bad_offset; // of the first byte that is wrong; text.size if none is
} padic_num_parse_report;
typedef struct padic_num_parse_desc {
    padic_num_array out;
    uint64_t index;
    padic_bytes text;               // a final 0 is not part of it
    padic_num_parse_report *report; // optional
} padic_num_parse_desc;
PADIC_API padic_result padic_num_parse(padic_context *context, const padic_num_parse_desc *desc);

// Bytes, the same for every form and machine. Little-endian: "PDN", version 1, u8 model, u8 planes
// (1 u, 2 v, 4 n), u16 0, u64 p, u64 count, u32 N, u32 0, u64 checksum of the 32 bytes before it.
// Then blocks of 65,536 elements, the last one shorter: u32 size of the payload; the units,
// ceil(bits(P - 1) / 8) bytes each; v as zigzag varints; n, one byte each (N > 255: two); u64
// checksum of size and payload.

// Returns the bytes that padic_num_write() needs at most; 0 for no ring of a prime, or if that many
// do not fit the memory.
PADIC_API uint64_t padic_num_write_size_bound(const padic_num_array *array);
// Errors: CAPACITY (below the size bound, and too little), CORRUPT (an element is not canonical),
// LIMIT (count), OVERLAP (`out` and the array share memory; nothing is written), NOT_SUPPORTED
// (composite radix), and the common ones.
typedef struct padic_num_write_report {
    uint64_t size; // bytes written; with CAPACITY a capacity that suffices
} padic_num_write_report;
typedef struct padic_num_write_desc {
    padic_num_array in;             // RX: with workspace
    padic_bytes out;                // capacity 0: only its size is asked for
    padic_num_write_report *report; // optional
} padic_num_write_desc;
PADIC_API padic_result padic_num_write(padic_context *context, const padic_num_write_desc *desc);

// What a stream holds, to make a ring and an array for it. Errors: ARGUMENT (no bytes), CORRUPT,
// CHECKSUM, VERSION, NOT_SUPPORTED (a buffer on a device); the report is zero then.
typedef struct padic_num_report {
    padic_num_model model;
    uint32_t precision;
    uint64_t p, count;
} padic_num_report;
typedef struct padic_num_info_desc {
    padic_bytes bytes;
    padic_num_report *report;
} padic_num_info_desc;
PADIC_API padic_result padic_num_info(padic_context *context, const padic_num_info_desc *desc);

// Reads an array. Any bytes are safe: sizes, checksums and every element are checked before
// anything is written. Errors: as padic_num_info(); RING (prime, precision, model), MISMATCH (fewer
// elements than `out`), CAPACITY (more elements), LIMIT (a valuation that I16 cannot hold), OVERLAP
// (the bytes and `out` share memory; nothing is written), and the common ones.
typedef struct padic_num_read_desc {
    padic_bytes bytes;
    padic_num_array out; // RX: with workspace
} padic_num_read_desc;
PADIC_API padic_result padic_num_read(padic_context *context, const padic_num_read_desc *desc);
