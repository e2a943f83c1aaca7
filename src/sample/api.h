#pragma once
// --------------------------------------------------------------------------------- >>sample API
//
// Low-discrepancy points by index: van der Corput, Halton and Hammersley in any base from 2 to
// 65,537, with digit permutations and Owen (nested uniform) scrambling. All of it is D0: the same
// bits on every machine, for any split of the work.
//
//     #define PADIC_IMPLEMENTATION
//     #include "padic.h"
//     #include <stdio.h>
//
//     int main(void) // 1,000 points of three axes, scrambled by Owen's method
//     {
//         static float point[1000][3];
//         static uint64_t keys[3 * 32];
//         padic_sample_keys_desc init = PADIC_ZERO;
//         padic_sample_halton_desc desc = PADIC_ZERO;
//         padic_result result;
//         init.seed = 1;
//         init.dimensions = 3;
//         init.out = padic_tensor_1d(PADIC_U64, keys, 3 * 32);
//         result = padic_sample_keys(NULL, &init);
//         desc.out = padic_tensor_2d(PADIC_F32, point, 1000, 3);
//         desc.layout = PADIC_SAMPLE_LAYOUT_POINTS;
//         desc.scrambling.mode = PADIC_SAMPLE_MODE_OWEN;
//         desc.scrambling.keys = init.out;
//         if (!result) result = padic_sample_halton(NULL, &desc);
//         printf("%.3f %.3f %.3f, %s\n", point[0][0], point[0][1], point[0][2],
//                padic_result_text(result));
//         return result != PADIC_OK;
//     }
//
// An index i = sum d_k b^k has D digits, d_0 first; its digit reversal is R = sum d_k b^(D-1-k) and
// its radical inverse R / b^D in [0, 1). D is the largest with b^D <= 2^32 (SHORT) or 2^64 (LONG).
// Values are x = R / b^D cut off once, exactly, to the grid of the output's dtype, and so below 1:
//
//     U32 floor(2^32 x)    U64 floor(2^64 x)    F32 floor(2^24 x) 2^-24    F64 floor(2^53 x) 2^-53
//
// An operation takes a desc, zero being the default of every field. What asks for one number
// (prime, levels, last_index, keys_count, laine_karras) takes no context.
//
// Every operation works on the caller's memory and allocates nothing. The context may be NULL; it
// keeps the message of a failure, and its jobs and backends in host memory share the work, with the
// same result. Tensors have any positive strides. Where one lies in a buffer of the context's
// device, its kernels do the work, and what lies in host memory is moved there. Then a call with
// indices or keys waits for the device, and is not recorded.
// Common errors: ARGUMENT (NULL, base < 2, a mode or stride that makes no sense, buffers without
// context), LIMIT (base above 65,537, dimension above 1,023, an index outside [0, b^D)), MISMATCH
// (shapes), DTYPE, ALIGNMENT, OVERLAP, CAPACITY (too few keys), NOT_SUPPORTED (strict, and a device
// without the kernel). Then nothing is written, with one exception: an index >= b^D in an array
// makes its element 0, the others right, the code LIMIT. No value of an index or a key leads
// outside of a table.

typedef enum padic_sample_digits {
    PADIC_SAMPLE_DIGITS_SHORT = 0, // b^D <= 2^32: D = 32, 20, 13, 11 for b = 2, 3, 5, 7
    PADIC_SAMPLE_DIGITS_LONG = 1   // b^D <= 2^64: D = 64, 40, 27, 22
} padic_sample_digits;

typedef enum padic_sample_layout {
    PADIC_SAMPLE_LAYOUT_PLANES = 0, // shape (dimensions, points)
    PADIC_SAMPLE_LAYOUT_POINTS = 1  // shape (points, dimensions)
} padic_sample_layout;

// A scrambling maps digit d_k of an index to s_k by a permutation that is drawn from a hash h of
// the level k and, for OWEN, of the digits before it: h = mix(key[k] ^ (s_0 b^(k-1) + ... +
// s_(k-1))). Indices that agree in k low digits still do after it: it is an isometry of the b-adic
// integers, and the first b^m points still hit each of the b^m cells once.
typedef enum padic_sample_mode {
    PADIC_SAMPLE_MODE_NONE = 0,
    PADIC_SAMPLE_MODE_PERMUTE = 1, // one permutation a level: 0 instead of the digits before it
    // One a node; prime b: d -> (a d + c) mod b, a != 0, whose second moments are those of all
    // permutations; composite b: OWEN_FULL.
    PADIC_SAMPLE_MODE_OWEN = 2,
    PADIC_SAMPLE_MODE_OWEN_FULL = 3 // a uniform permutation (Fisher-Yates) a node; b <= 1,021; slow
} padic_sample_mode;

// All zero: none. Composite bases above 1,021 cannot be scrambled: LIMIT.
typedef struct padic_sample_scrambling {
    padic_sample_mode mode;
    padic_tensor keys; // U64, dense, of padic_sample_keys(): D for each dimension, one after the
                       // other; too few are CAPACITY
} padic_sample_scrambling;

// Returns the base of a Halton dimension: 2, 3, 5, ..., 8161 for 0 to 1,023, and 0 beyond.
PADIC_API uint32_t padic_sample_prime(uint32_t dimension);
// Returns D, the digits of an index; 0 for a base outside 2 to 65,537.
PADIC_API uint32_t padic_sample_levels(uint32_t base, padic_sample_digits digits);
// Returns b^D - 1, the largest index; 0 for a base outside 2 to 65,537.
PADIC_API uint64_t padic_sample_last_index(uint32_t base, padic_sample_digits digits);

// Keys of a scrambling: key[k] = w0 + 2^32 w1, w the Philox block (seed, stream = dimension,
// step = k, block 0). They depend on neither mode nor base; SHORT and b <= 1,021 use w0 only.
typedef struct padic_sample_keys_desc {
    padic_tensor out; // U64, dense, padic_sample_keys_count() or more: else CAPACITY
    uint64_t seed;
    uint32_t base; // of one dimension of any number; 0: the primes of Halton dimensions
    padic_sample_digits digits;
    uint32_t dimension;  // the first
    uint32_t dimensions; // how many; 0: 1
} padic_sample_keys_desc;
PADIC_API padic_result padic_sample_keys(padic_context *context,
                                         const padic_sample_keys_desc *desc);
// Returns how many keys that are (`out` and `seed` say nothing here); 0 if the desc makes no sense.
PADIC_API uint64_t padic_sample_keys_count(const padic_sample_keys_desc *desc);

// out[j] = radical inverse of index[j], or of first + j. `out` has rank 0 or 1.
typedef struct padic_sample_radical_inverse_desc {
    padic_tensor out; // U32, U64, F32, F64
    uint32_t base;
    padic_sample_digits digits;
    uint64_t first;     // a range that reaches beyond b^D is LIMIT
    padic_tensor index; // instead of first: U32 or U64, one for each element; may be `out` itself
    padic_sample_scrambling scrambling;
    uint32_t reversed; // 1: R itself instead of R / b^D, as U32 (SHORT) or U64
} padic_sample_radical_inverse_desc;
PADIC_API padic_result padic_sample_radical_inverse(padic_context *context,
                                                    const padic_sample_radical_inverse_desc *desc);

// out[j] = the index whose digit reversal R is reversals[j] (U32 for SHORT, or U64; `out` may be
// `reversals`).
typedef struct padic_sample_radical_index_desc {
    padic_tensor reversals, out;
    uint32_t base;
    padic_sample_digits digits;
} padic_sample_radical_index_desc;
PADIC_API padic_result padic_sample_radical_index(padic_context *context,
                                                  const padic_sample_radical_index_desc *desc);

// Halton points: coordinate c of point j is the radical inverse of its index in base
// padic_sample_prime(dimension + c). `out` has rank 2; its shape says how many of both.
typedef struct padic_sample_halton_desc {
    padic_tensor out; // U32, U64, F32, F64
    padic_sample_layout layout;
    padic_sample_digits digits;
    uint32_t dimension; // the first
    uint64_t first;
    padic_tensor index; // instead of first
    padic_sample_scrambling scrambling; // keys from `dimension` on
} padic_sample_halton_desc;
PADIC_API padic_result padic_sample_halton(padic_context *context,
                                           const padic_sample_halton_desc *desc);

// The short way: `points` plain points of `dimensions` coordinates, from index `first` on, one
// point after another, in host memory.
PADIC_API padic_result padic_sample_halton_points(float *out, uint64_t points, uint32_t dimensions,
                                                  uint64_t first);

// Hammersley points, a set of n: coordinate 0 is i / n, cut off to the grid like all values and
// never scrambled; coordinate c >= 1 is Halton's dimension c - 1, with its keys. An index >= n is
// LIMIT in every coordinate.
typedef struct padic_sample_hammersley_desc {
    padic_tensor out;
    padic_sample_layout layout;
    padic_sample_digits digits;
    uint32_t dimension; // the first
    uint64_t n;         // 0: ARGUMENT
    uint64_t first;
    padic_tensor index; // instead of first
    padic_sample_scrambling scrambling; // keys from Halton's dimension max(dimension, 1) - 1 on
} padic_sample_hammersley_desc;
PADIC_API padic_result padic_sample_hammersley(padic_context *context,
                                               const padic_sample_hammersley_desc *desc);

// Which points of the Halton sequence fall into pixel (x, y), when the unit square is cut into
// 2^exponent2 columns and 3^exponent3 rows: index number s, in growing order, by the Chinese
// remainder theorem. The next one is 2^exponent2 3^exponent3 further. Plain sequence, dimensions 0
// and 1. ARGUMENT: x or y outside the grid. LIMIT: grid or index of 2^64 or more.
typedef struct padic_sample_halton_index_report {
    uint64_t index; // 0 after an error
} padic_sample_halton_index_report;

typedef struct padic_sample_halton_index_desc {
    uint32_t exponent2, exponent3;
    uint64_t x, y, s;
    padic_sample_halton_index_report *report;
} padic_sample_halton_index_desc;
PADIC_API padic_result padic_sample_halton_index(padic_context *context,
                                                 const padic_sample_halton_index_desc *desc);

// Scrambles digit reversals: out[j] = R of the scrambled index whose R is reversals[j], or back.
// U32 (SHORT) or U64; `out` may be `reversals`.
typedef struct padic_sample_scramble_desc {
    padic_tensor reversals, out;
    uint32_t base;
    padic_sample_digits digits;
    padic_sample_scrambling scrambling;
    uint32_t inverse; // 1: from the scrambled R back
} padic_sample_scramble_desc;
PADIC_API padic_result padic_sample_scramble(padic_context *context,
                                             const padic_sample_scramble_desc *desc);

// The same isometry on the index: out[j] = sum s_k b^k. A shuffle of 0 .. b^levels - 1 that keeps
// b-adic blocks together; digits from `levels` on stay, so every aligned block is shuffled alike.
typedef struct padic_sample_shuffle_index_desc {
    padic_tensor out; // U32 (SHORT) or U64
    uint32_t base;
    padic_sample_digits digits;
    uint32_t levels; // 0: D
    uint64_t first;
    padic_tensor index; // instead of first; may be `out` itself
    padic_sample_scrambling scrambling;
} padic_sample_shuffle_index_desc;
PADIC_API padic_result padic_sample_shuffle_index(padic_context *context,
                                                  const padic_sample_shuffle_index_desc *desc);

// The hash of Laine and Karras with the constants of Burley (Practical hash-based Owen scrambling,
// 2020): a bijection of 32 bits in which bit k depends on bits 0 to k only, so an Owen-like
// scrambling in base 2 of an index, or of the reversed bits of a value.
PADIC_API uint32_t padic_sample_laine_karras(uint32_t x, uint32_t seed);
