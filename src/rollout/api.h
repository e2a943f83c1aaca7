#pragma once
// ---------------------------------------------------------------------------------- >>rollout API
//
// Rollouts of neural operators: convolutional networks on fields of two dimensions, iterated for
// T steps, with M realisations, I initial conditions and N operators of one signature.
//
// An operator is a list of nodes, as plain data. Node 0 is the state, C channels of H x W cells;
// entry i of the list is node i + 1, and its inputs are nodes before it. The last node is the
// output. Fields are (.., C, H, W), weights of a convolution (out, in, dy, dx), last axis fastest.
//
//     #define PADIC_IMPLEMENTATION
//     #include "padic.h"
//     #include <stdio.h>
//
//     int main(void) // 100 steps of a random network from one state, four times with other noise
//     {
//         static float weights[4096], initial[3 * 32 * 32], last[4][3][32][32];
//         padic_rollout_node nodes[8];
//         padic_rollout_nodes_cnn_desc net = {.width = 8, .layers = 2, .nodes = nodes};
//         net.capacity = 8, net.site = PADIC_ROLLOUT_NOISE_HIDDEN;
//         padic_rollout_operator op = {nodes, padic_rollout_nodes_cnn(&net), 3, 32, 32};
//         padic_rollout_operator_report is = {0};
//         if (padic_rollout_operator_info(NULL, &op, &is) || is.parameters > 4096) return 1;
//         for (int i = 0; i < 3072; i++) initial[i] = (float)(i * i % 101) / 50 - 1;
//         padic_rollout_weights_init_desc draw = {.op = op, .seed = 1};
//         draw.out = padic_tensor_2d(PADIC_F32, weights, 1, is.parameters);
//         padic_rollout_run_desc run = {.op = op, .weights = draw.out, .seed = 2, .steps = 101};
//         run.realisations = 4, run.output = PADIC_ROLLOUT_OUTPUT_LAST;
//         run.policy = PADIC_ROLLOUT_POLICY_CONVEX;
//         run.initial = padic_tensor_nd(PADIC_F32, initial, 4, (uint64_t[]){1, 3, 32, 32});
//         run.out = padic_tensor_nd(PADIC_F32, last, 7, (uint64_t[]){1, 1, 4, 1, 3, 32, 32});
//         if (padic_rollout_weights_init(NULL, &draw) || padic_rollout_run(NULL, &run)) return 1;
//         for (int m = 0; m < 4; m++) printf("%.3f\n", last[m][0][16][16]);
//         return 0;
//     }

typedef enum padic_rollout_kind {
    PADIC_ROLLOUT_KIND_CONV = 0,   // convolution, norm, activation
    PADIC_ROLLOUT_KIND_NORM = 1,   // norm, activation
    PADIC_ROLLOUT_KIND_ADD = 2,    // input + skip; input + W1 skip (1 x 1, no bias) if their
                                   // channels differ
    PADIC_ROLLOUT_KIND_CONCAT = 3, // channels of input, then of skip
    PADIC_ROLLOUT_KIND_MEAN = 4,   // mean of 2 x 2 cells; H and W are even
    PADIC_ROLLOUT_KIND_UP = 5,     // twice as many rows and columns
    PADIC_ROLLOUT_KIND_NOISE = 6,  // noise, which differs between realisations and steps
    PADIC_ROLLOUT_KIND_SPECTRAL = 7 // channels mixed mode by mode of the Fourier transform
} padic_rollout_kind;

// Cell B(i) that stands for cell i outside 0 <= i < n.
typedef enum padic_rollout_boundary {
    PADIC_ROLLOUT_BOUNDARY_ZERO = 0,      // none: it is 0
    PADIC_ROLLOUT_BOUNDARY_PERIODIC = 1,  // i mod n
    PADIC_ROLLOUT_BOUNDARY_REFLECT = 2,   // mirrored, the edge once; (kernel - 1)/2 < n
    PADIC_ROLLOUT_BOUNDARY_REPLICATE = 3  // the edge
} padic_rollout_boundary;

// gamma (x - mu)/sqrt(var + eps) + beta, with the biased variance. Over
typedef enum padic_rollout_norm {
    PADIC_ROLLOUT_NORM_INSTANCE = 0, // the cells of a channel of a trajectory
    PADIC_ROLLOUT_NORM_NONE = 1,     // nothing: there is no norm
    PADIC_ROLLOUT_NORM_GROUP = 2,    // and of the other channels of its group
    PADIC_ROLLOUT_NORM_LAYER = 3,    // and of all other channels
    PADIC_ROLLOUT_NORM_FROZEN = 4    // nothing: mu and var are given
} padic_rollout_norm;

typedef enum padic_rollout_act {
    PADIC_ROLLOUT_ACT_GELU_ERF = 0, // x/2 (1 + erf(x/sqrt 2))
    PADIC_ROLLOUT_ACT_NONE = 1,
    PADIC_ROLLOUT_ACT_RELU = 2,
    PADIC_ROLLOUT_ACT_GELU_TANH = 3, // x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
    PADIC_ROLLOUT_ACT_SILU = 4,      // x/(1 + e^-x)
    PADIC_ROLLOUT_ACT_TANH = 5
} padic_rollout_act;

typedef enum padic_rollout_up {
    PADIC_ROLLOUT_UP_BILINEAR = 0,  // cell i is at (i + 1/2)/2 - 1/2 of the input: 1/4 and 3/4 of
                                    // its neighbours, by the boundary, which replicates for ZERO;
                                    // REFLECT of 2 x 2 cells or more
    PADIC_ROLLOUT_UP_NEAREST = 1,   // cell i is i/2 of the input
    PADIC_ROLLOUT_UP_TRANSPOSED = 2 // cell 2 i + d is b + sum w_d x_i: kernel 2, stride 2; weights
                                    // (in, out, dy, dx)
} padic_rollout_up;

enum { // flags of a node
    PADIC_ROLLOUT_AFFINE = 1,    // gamma and beta are among the weights; else 1 and 0
    PADIC_ROLLOUT_STATISTICS = 2, // FROZEN: mu and var are among the weights; else 0 and 1
    PADIC_ROLLOUT_ONE_SIDED = 4   // SPECTRAL: rows as older operators have them
};

#define PADIC_ROLLOUT_NODES 255      // most nodes of an operator
#define PADIC_ROLLOUT_CHANNELS 65536 // most channels of a node

// A field that the kind does not use is 0: a list says nothing that is dropped.
//
//     CONV    Y[o,y,x] = b[o] + sum_{i,dy,dx} w[o,i,dy,dx] X[i, B(s y + dy - p), B(s x + dx - p)]
//             with p = (kernel - 1)/2, s the stride, ceil(H/s) x ceil(W/s) cells; b only where
//             norm is NONE; then norm, then activation
//     NORM    norm, then activation
//     NOISE   what padic_rollout_noise() makes of it, with the node's number as site
//     SPECTRAL  with the real transform of H x W cells, 1/sqrt(H W) each way, Y[o,q] = sum_i
//             W[i,o,q] X[i,q] for the modes that are kept, 0 for others. They are 0 <= q_x < modes
//             and -modes <= q_y < modes, as far as the grid has them: rows q_y = 0, 1, .. up to
//             the largest, then the negative ones upwards. ONE_SIDED: rows 0, 1, .. of the
//             transform, `modes` of them. Columns q_x = 0 and (W even) W/2 are made Hermitian
//             before the inverse: Y(q_y) becomes (Y(q_y) + conj Y(-q_y))/2. W (in, out, row,
//             column, 2), re and im. After Li et al., Fourier neural operator, 2021
//
// A node's weights, one after another: w; w of skip; b; gamma, beta; mu, var.
typedef struct padic_rollout_node {
    padic_rollout_kind kind;
    uint32_t input;    // node
    uint32_t skip;     // ADD, CONCAT: node
    uint32_t channels; // CONV, UP TRANSPOSED, SPECTRAL: of the output; 0: of the input
    uint32_t kernel;   // CONV: 1, 3, .., 15; 0: 3
    uint32_t stride;   // CONV: 1 or 2; 0: 1
    padic_rollout_boundary boundary; // CONV, UP BILINEAR
    padic_rollout_norm norm;         // CONV, NORM
    uint32_t groups;                 // GROUP; 0: the largest divisor of the channels up to 32
    padic_rollout_act act;           // CONV, NORM
    padic_rollout_up up;             // UP
    uint32_t flags;                  // CONV, NORM, SPECTRAL
    float eps;                       // of the norm; 0: 1e-5
    uint32_t modes;                  // SPECTRAL: from 1 on
    float scale;                     // SPECTRAL: of its first weights; 0: 1/(inputs outputs)
    const struct padic_rollout_noise_law *noise; // NOISE: of the caller; NULL: all its defaults
} padic_rollout_node;

typedef struct padic_rollout_operator {
    const padic_rollout_node *nodes;
    uint32_t count;    // of nodes, 1 to PADIC_ROLLOUT_NODES
    uint32_t channels; // C of the state; 0: 3
    uint32_t height, width; // H, W: 1 to 65536
} padic_rollout_operator;

typedef enum padic_rollout_noise_site {
    PADIC_ROLLOUT_NOISE_NONE = 0,
    PADIC_ROLLOUT_NOISE_HIDDEN = 1,
    PADIC_ROLLOUT_NOISE_OUTPUT = 2
} padic_rollout_noise_site;

// The list of a plain convolutional network: a convolution to `width` channels, `layers` blocks,
// block i from 0 on of width 2^min(i, 2) channels, and a 1 x 1 convolution with bias to the
// channels of the state, without norm and activation. Up to 3 layers a block is one convolution;
// of more layers two and ADD of the block's input. All others have the norm and the activation.
// With noise there is a NOISE node, HIDDEN before the last convolution or OUTPUT after it.
// Returns the number of nodes, and writes the first `capacity` of them; 0 if `layers` or `width` is
// 0, `site` is unknown, a law has no site, there would be more than PADIC_ROLLOUT_NODES, or too
// many channels. D0.
typedef struct padic_rollout_nodes_cnn_desc {
    uint32_t channels; // C; 0: 3
    uint32_t width;    // c
    uint32_t layers;   // L
    uint32_t kernel;   // 0: 3
    padic_rollout_norm norm;
    padic_rollout_act act;
    padic_rollout_boundary boundary;
    padic_rollout_noise_site site;
    const struct padic_rollout_noise_law *noise; // of the NOISE node, which points at it
    padic_rollout_node *nodes; // of the caller; NULL: counted only
    uint32_t capacity;         // of `nodes`
} padic_rollout_nodes_cnn_desc;
PADIC_API uint32_t padic_rollout_nodes_cnn(const padic_rollout_nodes_cnn_desc *desc);

// The list of a U-shaped network with Fourier mixing in its middle: a 3 x 3 convolution to `width`
// channels; for each level `blocks` residual blocks, of two 3 x 3 convolutions and ADD, to
// min(2 ch, 8 width) channels, whose output the way back takes, and one of stride 2; `mixers`
// blocks of mixing; for each level backwards UP, CONCAT, a 3 x 3 convolution to the channels that
// were taken, and `blocks` residual blocks; the last convolution and noise as above. A block of
// mixing, of ch channels:
//
//     x += C2 act(C1 S(LAYER(x))), x += V2 act(V1 LAYER(x))
//
// with S SPECTRAL, C1 1 x 1 to 2 ch, V1 1 x 1 to `hidden`, C2 and V2 1 x 1 to ch, all with bias.
// After Guibas et al., Adaptive Fourier neural operators, 2022. H and W are multiples of 2^levels.
// Returns as padic_rollout_nodes_cnn(); 0 also if blocks or modes is 0. D0.
typedef struct padic_rollout_nodes_uafno_desc {
    uint32_t channels; // C; 0: 3
    uint32_t width;    // c
    uint32_t levels, blocks;
    uint32_t mixers; // A
    uint32_t modes;
    uint32_t hidden; // 0: 2 ch
    padic_rollout_norm norm;
    padic_rollout_act act;
    padic_rollout_boundary boundary;
    padic_rollout_noise_site site;
    const struct padic_rollout_noise_law *noise; // of the NOISE node, which points at it
    uint32_t flags;            // ONE_SIDED
    padic_rollout_node *nodes; // of the caller; NULL: counted only
    uint32_t capacity;         // of `nodes`
} padic_rollout_nodes_uafno_desc;
PADIC_API uint32_t padic_rollout_nodes_uafno(const padic_rollout_nodes_uafno_desc *desc);

typedef struct padic_rollout_shape { // of a node
    uint32_t channels, height, width;
    uint64_t weights; // where its weights begin in a row of `parameters`
    uint64_t count;   // how many they are
} padic_rollout_shape;

typedef struct padic_rollout_operator_report {
    uint64_t signature;  // a hash of the nodes, their defaults filled in, and of the grid: alike
                         // for operators that one plan serves
    uint64_t parameters; // P: numbers of a row of weights
    uint64_t mac;        // multiplications and additions of one evaluation, of convolutions and
                         // of the mixing of modes
    uint32_t output_channels, output_height, output_width; // of the last node
    padic_rollout_shape *shapes; // of the caller, op->count of them; NULL: not wanted
} padic_rollout_operator_report;

// Says what an operator is; `report` keeps its pointer. D0. Errors: ARGUMENT (NULL, no node or too
// many, an unknown enum or flag, a node that is not before its user, a field of another kind, a
// kernel that is even or above 15, a stride above 2, groups that do not divide the channels, an eps
// that is negative or not finite, REFLECT with (kernel - 1)/2 >= n, MEAN of an odd size); MISMATCH
// (cells of ADD or CONCAT); LIMIT (sizes, channels, more than 2^34 weights, cells of NOISE); and
// those of padic_rollout_noise() for its law.
PADIC_API padic_result padic_rollout_operator_info(padic_context *context,
                                                   const padic_rollout_operator *op,
                                                   padic_rollout_operator_report *report);

// A permutation that brings operators of equal signature together: order[i] is the operator at
// place i, run j has runs[j] of them. Operators of a run are in their own order, runs in that of
// their first ones. Takes count times runs steps, no memory. D0. Errors: ARGUMENT (NULL).
typedef struct padic_rollout_group_report {
    uint64_t runs;
} padic_rollout_group_report;

typedef struct padic_rollout_group_desc {
    const uint64_t *signatures;
    uint64_t count;
    uint64_t *order; // of the caller: `count` numbers,
    uint64_t *runs;  // and as many as there are runs, `count` at most
    padic_rollout_group_report *report; // NULL: not wanted
} padic_rollout_group_desc;
PADIC_API padic_result padic_rollout_group(padic_context *context,
                                           const padic_rollout_group_desc *desc);

typedef enum padic_rollout_weight_rule {
    PADIC_ROLLOUT_WEIGHT_UNIFORM = 0, // w and b: u11 / sqrt(fan_in), fan_in = inputs kernel^2
    PADIC_ROLLOUT_WEIGHT_ZERO = 1     // w and b: 0
} padic_rollout_weight_rule;

// Weights of N operators from their ids: row n is a function of (seed, id of n). u11 is
// padic_random_symmetric() of word e % 4 of block e / 4 of the random numbers of the seed, stream
// (node << 4 | purpose) << 32 | id, step 0, for element e of w (purpose 1) or b (purpose 2); the
// elements of an ADD's w are purpose 1, too. 1/sqrt(fan_in) is rounded to F32, and so is the
// product. SPECTRAL: element e is padic_random_normal() of that word, purpose 3, times `scale`.
// gamma and var become 1, beta and mu 0. D0.
// Errors: as padic_rollout_operator_info(); DTYPE, MISMATCH (out, ids).
typedef struct padic_rollout_weights_init_desc {
    padic_rollout_operator op;
    uint64_t seed;
    padic_tensor ids; // U32 (N): ids of the operators; zero: 0, 1, ..
    padic_rollout_weight_rule rule;
    padic_tensor out; // F32 (N, P)
} padic_rollout_weights_init_desc;
PADIC_API padic_result padic_rollout_weights_init(padic_context *context,
                                                  const padic_rollout_weights_init_desc *desc);
