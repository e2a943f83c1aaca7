#pragma once
// ------------------------------------------------------------------------------- >>sampling API
//
// Parameters of operators by quasi-Monte Carlo: Sobol's points, what they mean as parameters, how
// evenly they lie. A program that draws 64 operators of 3 parameters:
//
//     #define PADIC_IMPLEMENTATION
//     #include "padic.h"
//     #include <stdio.h>
//
//     int main(void)
//     {
//         static double points[64][3], values[64][3];
//         padic_rollout_parameter p[3] = {{PADIC_ROLLOUT_PARAMETER_LOG10, 1e-4, 1e-1, 0, NULL},
//                                         {PADIC_ROLLOUT_PARAMETER_INTEGER, 2, 5, 0, NULL},
//                                         {PADIC_ROLLOUT_PARAMETER_BOOLEAN, 0, 0, 0, NULL}};
//         padic_rollout_sobol_desc sobol = PADIC_ZERO;
//         padic_rollout_map_params_desc map = PADIC_ZERO;
//         sobol.out = map.points = padic_tensor_2d(PADIC_F64, points, 64, 3);
//         sobol.seed = 1;
//         map.out = padic_tensor_2d(PADIC_F64, values, 64, 3);
//         map.parameters = p, map.count = 3;
//         padic_result result = padic_rollout_sobol(NULL, &sobol);
//         if (!result) result = padic_rollout_map_params(NULL, &map);
//         printf("%g %g %g, %s\n", values[0][0], values[0][1], values[0][2],
//                padic_result_text(result));
//         return result != PADIC_OK;
//     }
//
// Points are (n, d): n points of d coordinates, with any positive strides. Common errors: DTYPE,
// MISMATCH (rank, shape), ARGUMENT, LIMIT, OVERLAP; then nothing is written. n = 0 or d = 0 is done
// at once.

#define PADIC_ROLLOUT_SOBOL_DIMENSIONS 64

// Sobol's sequence with the direction numbers of Joe and Kuo (Constructing Sobol sequences with
// better two-dimensional projections, SIAM J. Sci. Comput. 30, 2008; their table
// new-joe-kuo-6.21201), 32 bits, in Gray-code order: point i is the sum mod 2 of the direction
// numbers of the set bits of i ^ (i >> 1). D0.
//
// Scrambled by Owen's method, truly nested: bit j of a coordinate (0: the highest) is changed where
// the lowest bit of the random word (seed; stream: low word the dimension, high word 7; step j;
// element: the j higher bits, unscrambled) is set. Any 2^p points from a multiple of 2^p on have
// one in each interval of length 2^-p of each dimension, plain or scrambled.
typedef struct padic_rollout_sobol_desc {
    padic_tensor out; // (n, d): U32, the bits x; F64, (x + 1/2) 2^-32, inside (0, 1)
    uint64_t seed;
    uint64_t first;     // index of point 0; first + n above 2^32: LIMIT
    uint32_t dimension; // the first; dimension + d above PADIC_ROLLOUT_SOBOL_DIMENSIONS: LIMIT
    uint32_t plain;     // 1: not scrambled
} padic_rollout_sobol_desc;
PADIC_API padic_result padic_rollout_sobol(padic_context *context,
                                           const padic_rollout_sobol_desc *desc);

typedef enum padic_rollout_parameter_kind {
    PADIC_ROLLOUT_PARAMETER_LINEAR = 0,  // lo + u (hi - lo)
    PADIC_ROLLOUT_PARAMETER_LOG10 = 1,   // lo (hi / lo)^u; both above 0
    PADIC_ROLLOUT_PARAMETER_INTEGER = 2, // lo + floor(u (hi - lo + 1)), all equally often
    PADIC_ROLLOUT_PARAMETER_ROUND = 3,   // floor(lo + u (hi - lo) + 1/2): the ends half as often
    PADIC_ROLLOUT_PARAMETER_CHOICE = 4,  // an index: floor(u n), or by weights
    PADIC_ROLLOUT_PARAMETER_BOOLEAN = 5  // 1 if u >= 1/2, else 0
} padic_rollout_parameter_kind;

// One parameter; it takes one dimension even where it has one value.
typedef struct padic_rollout_parameter {
    padic_rollout_parameter_kind kind;
    double lo, hi;         // finite, lo <= hi; of INTEGER and ROUND integers up to 2^52 in size
    uint64_t count;        // of CHOICE: n, 1 to 2^32
    const double *weights; // of CHOICE: n of them, none negative, their sum above 0 and finite: the
                           // first index whose weights up to it sum to more than u times the sum
                           // of all; NULL: equal
} padic_rollout_parameter;

// Coordinates in [0, 1) to values of parameters, column by column. D0; LOG10 D2, within 4 ulp.
// Errors: DOMAIN (a coordinate outside [0, 1); nothing is written).
typedef struct padic_rollout_map_params_desc {
    padic_tensor points; // (n, d), F64
    padic_tensor out;    // (n, d), F64; may be `points`, as the same view
    const padic_rollout_parameter *parameters; // d of them
    uint32_t count;                            // d; else MISMATCH
} padic_rollout_map_params_desc;
PADIC_API padic_result padic_rollout_map_params(padic_context *context,
                                                const padic_rollout_map_params_desc *desc);

// How evenly points lie. D0, in f64.
typedef struct padic_rollout_discrepancy_report {
    // The squared centred L2 discrepancy (Hickernell 1998), with z = |x - 1/2|:
    // (13/12)^d - 2/n sum_i prod_j (1 + z_ij/2 - z_ij^2/2)
    //           + 1/n^2 sum_i sum_l prod_j (1 + z_ij/2 + z_lj/2 - |x_ij - x_lj|/2)
    double discrepancy;
    double correlation; // the largest |Pearson's r| of two columns; one that is constant has 0
} padic_rollout_discrepancy_report;

// Takes n^2 d steps. n = 0: both 0. Errors: LIMIT (d above 64), DOMAIN (a coordinate outside
// [0, 1]).
typedef struct padic_rollout_discrepancy_desc {
    padic_tensor points; // (n, d), F64
    padic_rollout_discrepancy_report *report;
} padic_rollout_discrepancy_desc;
PADIC_API padic_result padic_rollout_discrepancy(padic_context *context,
                                                 const padic_rollout_discrepancy_desc *desc);
