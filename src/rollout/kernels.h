#pragma once
#include "../core/platform.h"
#include "../fft/kernels.h"

#ifndef PADIC_NO_ROLLOUT

// Fields inside: blocks of 16 channels, (block, row, column, 16), of reals, which are floats or
// doubles. Channels that the last block has too many are 0.

#define PADICI_ROLLOUT_LANES 16u

// y = a (x - mu) + beta for each of the 16 channels, reals; NULL: y = x. Then the activation.
typedef struct padici_rollout_map {
    const void *mu, *a, *beta;
    padic_rollout_act act;
} padici_rollout_map;

// A convolution of one block of input channels, into one or two blocks of outputs:
//
//     out[cell] = start, or what is there, + sum over dy, dx, i of weights[dy][dx][i] in[..][i]
//
// in that order. Steps in reals.
typedef struct padici_rollout_conv {
    const void *in;           // of the first cell: its corner of the kernel
    uint64_t in_row, in_cell; // from one output to the next
    uint64_t line;            // from one row of the input to the next; a column is 16
    const void *weights;      // (dy, dx, inputs, 16)
    const void *start;        // 16; NULL: out has the sums so far
    void *out;
    uint64_t out_row, out_cell;
    uint64_t weights_block, start_block, out_block; // to the second block
    uint32_t blocks;                                // 1 or 2
    uint32_t kernel, inputs;                        // inputs: 1 to 16
    uint32_t rows, cells;
} padici_rollout_conv;

typedef struct padici_rollout_kernels {
    uint32_t is_double;
    // `count` times 16 reals; `to` may be `from`.
    void (*map)(const padici_rollout_map *map, uint64_t count, const void *from, void *to);
    void (*conv)(const padici_rollout_conv *conv);
    // Mean, and sum of squared differences from it, of `count` cells.
    void (*moments)(uint64_t count, const void *from, double *mean, double *squares);
    // One mode: 16 outputs, re and then im, from `inputs` numbers x, each re and im. `weights`
    // has 16 re and 16 im for each input.
    void (*mix)(uint32_t inputs, const void *x, const void *weights, void *out);
    const padici_fft_kernels *(*fft)(void); // for the transforms
    // padic_random_normal() of the words of blocks `block` on, count of them, 4 numbers each. NULL:
    // none of its own.
    void (*normals)(uint64_t seed, uint64_t stream, uint32_t step, uint32_t block, uint32_t count,
                    float *out);
} padici_rollout_kernels;

// What backends are asked for by the row ROLLOUT_KERNELS, for F32 states.
typedef struct padici_rollout_choice {
    const padici_rollout_kernels *kernels;
} padici_rollout_choice;

PADICI_FN const padici_rollout_kernels *padici_rollout_plain(void);
// (count, mean, squares) of two sets becomes that of both: Chan, Golub, LeVeque 1979.
PADICI_FN void padici_rollout_merge(double *count, double *mean, double *squares, double more,
                                    double other_mean, double other_squares);

#endif
