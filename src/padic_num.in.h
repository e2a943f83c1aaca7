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

#include "num/api.h"
#include "num/convert.h"
#include "num/series.h"
#include "num/exact.h"
#include "num/channels.h"
#include "num/tree.h"
#include "num/kernel.h"

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

#include "num/words.c"
#include "num/limbs.c"
#include "num/residue.c"
#include "num/ring.c"
#include "num/array.c"
#include "num/cell.c"
#include "num/task.c"
#include "num/value.c"
#include "num/element.c"
#include "num/word_loops.c"
#include "num/arith.c"
#include "num/valuation.c"
#include "num/tropical.c"
#include "num/horner.c"
#include "num/reduction.c"
#include "num/convert.c"
#include "num/integers.c"
#include "num/floats.c"
#include "num/digits.c"
#include "num/random.c"
#include "num/text.c"
#include "num/bytes.c"
#include "num/ring_tables.c"
#include "num/series.c"
#include "num/root.c"
#include "num/series_loops.c"
#include "num/series_calls.c"
#include "num/hensel.c"
#include "num/euclid_word.c"
#include "num/euclid.c"
#include "num/determinant.c"
#include "num/lifting.c"
#include "num/solve.c"
#include "num/rational.c"
#include "num/precision.c"
#include "num/channels.c"
#include "num/levels.c"
#include "num/fields.c"
#include "num/digests.c"
#include "num/gradients.c"
#include "num/tree.c"
#include "num/tree_digits.c"
#include "num/tree_insert.c"
#include "num/tree_ancestors.c"
#include "num/tree_queries.c"
#include "num/tree_bytes.c"
// ------------------------------------------------------------------------- end of implementation

#if defined(__clang__)
#pragma STDC FP_CONTRACT DEFAULT
#elif defined(__GNUC__)
#pragma GCC pop_options
#elif defined(_MSC_VER)
#pragma fp_contract(on)
#endif
#endif // PADIC_IMPLEMENTATION
