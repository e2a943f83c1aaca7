#pragma once
// ------------------------------------------------------------------------------------ >>rnn API
//
// Recurrent networks, inference only: GRU and LSTM cells, dense layers, stacks of them over
// sequences or with their output fed back, weights of other libraries, and the Fourier paths that
// such networks are trained to follow. With s(a) = 1 / (1 + e^-a), x the input, h the state:
//
//     GRU     r = s(Wr x + br + Ur h + cr)      z = s(Wz x + bz + Uz h + cz)
//             n = tanh(Wn x + bn + r (Un h + cn))       reset AFTER the product
//             n = tanh(Wn x + bn + cn + Un (r h))       reset BEFORE it
//             h' = (1 - z) n + z h (KEEP), or (1 - z) h + z n (REPLACE)
//     LSTM    i, f, o = s(W x + b + U h + c), g = tanh(the same);  c' = f c + i g, h' = o tanh(c')
//     LINEAR  y = gain act(W x + b)
//
// AFTER and BEFORE are different functions: weights trained for one do not serve the other. AFTER
// and KEEP are cuDNN's, PyTorch's, ONNX's with linear_before_reset = 1, Keras' with reset_after;
// BEFORE is Cho et al. 2014 (1406.1078v3), the defaults of ONNX and old Keras; REPLACE is
// Chung et al. 2014 (1412.3555).
//
//     #define PADIC_IMPLEMENTATION
//     #include "padic.h"
//     #include <stdio.h>
//
//     int main(void) // a GRU of 5 units, all weights 0.1, over a sequence of 3
//     {
//         float x[3][1][2] = {{{1, 2}}, {{3, 4}}, {{5, 6}}}, y[3][1][5], weights[15][5];
//         for (int i = 0; i < 75; i++) weights[i / 5][i % 5] = 0.1f;
//         padic_rnn_layer gru = PADIC_ZERO;
//         gru.weights.input = padic_tensor_2d(PADIC_F32, weights, 15, 2);
//         gru.weights.recurrent = padic_tensor_2d(PADIC_F32, weights, 15, 5);
//         gru.reset = PADIC_RNN_RESET_BEFORE;
//         padic_rnn_plan *plan;
//         padic_rnn_plan_desc net = PADIC_ZERO;
//         net.layers = &gru, net.layer_count = 1;
//         padic_result result = padic_rnn_plan_create(NULL, &net, &plan);
//         padic_rnn_run_desc run = PADIC_ZERO;
//         run.plan = plan;
//         run.x = padic_tensor_3d(PADIC_F32, x, 3, 1, 2);
//         run.out = padic_tensor_3d(PADIC_F32, y, 3, 1, 5);
//         if (!result) result = padic_rnn_run(NULL, &run);
//         printf("%.5f, %s\n", y[2][0][0], padic_result_text(result));
//         padic_rnn_plan_destroy(plan);
//         return result != PADIC_OK;
//     }
//
// B rows (sequences, agents), T steps, I inputs, H units, G = 3 (GRU) or 4 (LSTM) gates.
// Activations and states are F32, or all F64. Weights are F32, F16, BF16, I8 with an F32 factor
// for each row, or F64 with F64 states.
//
// Error: without vectors, and with F64 states, sums and gates are computed in f64 and rounded once
// per step. With vectors and F32: at most 4 u sum |w x| + 1e-6 in a gate, u = 2^-24, of which tanh
// and s have 4 u. A row's result has the same bits whatever the other rows are, for any number of
// rows and workers: D1; D2 between backends. tanh and s are +-1, 0 and 1 far out, and give NaN for
// NaN only, which stays in its row.
//
// On a device: kernels for F32 states, with that error; F64 goes to the host. The bits of a row may
// change with the number of rows, never with what the others are or with how a sequence is divided.
// A plan's weights go there with its first run; after that runs and steps may be recorded, if the
// plan lives as long. Lengths and CHECK_FINITE wait for the device; a recording takes a length
// above T as T, and no CHECK_FINITE.
//
// The context may be NULL; with jobs, rows are divided among them. x has any strides, negative ones
// too, states and outputs positive ones. Common errors: ARGUMENT (NULL, no units or inputs, unknown
// enum or flag, weights whose rows are not contiguous, biases or scales that are not dense),
// MISMATCH (shapes), DTYPE, LIMIT, ALIGNMENT, OVERLAP, MEMORY; DOMAIN with CHECK_FINITE. Nothing is
// written then. No rows or no steps: done, and nothing is written.

typedef enum padic_rnn_kind {
    PADIC_RNN_KIND_GRU = 0,
    PADIC_RNN_KIND_LSTM = 1,
    PADIC_RNN_KIND_LINEAR = 2
} padic_rnn_kind;

typedef enum padic_rnn_reset { // of a GRU
    PADIC_RNN_RESET_AFTER = 0,
    PADIC_RNN_RESET_BEFORE = 1
} padic_rnn_reset;

typedef enum padic_rnn_update { // of a GRU: what z = 1 does
    PADIC_RNN_UPDATE_KEEP = 0,
    PADIC_RNN_UPDATE_REPLACE = 1
} padic_rnn_update;

typedef enum padic_rnn_activation { // of LINEAR
    PADIC_RNN_ACTIVATION_NONE = 0,
    PADIC_RNN_ACTIVATION_TANH = 1,
    PADIC_RNN_ACTIVATION_SIGMOID = 2,
    PADIC_RNN_ACTIVATION_RELU = 3
} padic_rnn_activation;

enum { // flags
    PADIC_RNN_BATCH_FIRST = 1,   // runs: x and out are (B, T, ..)
    PADIC_RNN_REVERSE = 2,       // plans: from the last step to the first
    PADIC_RNN_BIDIRECTIONAL = 4, // plans: each recurrent layer both ways, outputs side by side
    PADIC_RNN_CHECK_FINITE = 8   // steps and runs: DOMAIN if an input or a state is NaN or infinite
};

#define PADIC_RNN_LAYERS 16

// Weights of a layer in one direction: those of PyTorch (weight_ih, weight_hh, bias_ih, bias_hh)
// and cuDNN as they are. Gates are in the order r, z, n and i, f, g, o. Rows are contiguous, and a
// row may be longer than what is used of it.
typedef struct padic_rnn_weights {
    padic_tensor input;           // W: (G H, I); LINEAR: (O, I)
    padic_tensor recurrent;       // U: (G H, H)
    padic_tensor bias;            // b: (G H), dense, F32 or F64 as the states; zero: 0
    padic_tensor recurrent_bias;  // c: the same
    padic_tensor input_scale;     // of I8 weights: F32 (G H), dense; w = scale times the integer
    padic_tensor recurrent_scale;
} padic_rnn_weights;

// One step of a GRU for all rows. `out` may be `h`.
typedef struct padic_rnn_gru_step_desc {
    padic_tensor x; // (B, I)
    padic_tensor h; // (B, H)
    padic_rnn_weights weights;
    padic_rnn_reset reset;
    padic_rnn_update update;
    padic_tensor out; // (B, H)
    uint32_t flags;
    padic_tensor workspace; // U8, padic_rnn_gru_step_workspace() bytes of host memory, on 64 bytes;
                            // zero: from the allocator
} padic_rnn_gru_step_desc;
PADIC_API padic_result padic_rnn_gru_step(padic_context *context,
                                          const padic_rnn_gru_step_desc *desc);
// Returns the bytes that the call of this context works in; 0 if the shapes make no sense.
PADIC_API uint64_t padic_rnn_gru_step_workspace(padic_context *context,
                                                const padic_rnn_gru_step_desc *desc);

// One step of an LSTM for all rows. `out` may be `h`, and `out_c` may be `c`.
typedef struct padic_rnn_lstm_step_desc {
    padic_tensor x; // (B, I)
    padic_tensor h; // (B, H)
    padic_tensor c; // (B, H)
    padic_rnn_weights weights;
    double forget_bias; // added to b_f: old TensorFlow cells have 1
    padic_tensor out;   // (B, H): h'
    padic_tensor out_c; // (B, H): c'
    uint32_t flags;
    padic_tensor workspace; // as above
} padic_rnn_lstm_step_desc;
PADIC_API padic_result padic_rnn_lstm_step(padic_context *context,
                                           const padic_rnn_lstm_step_desc *desc);
PADIC_API uint64_t padic_rnn_lstm_step_workspace(padic_context *context,
                                                 const padic_rnn_lstm_step_desc *desc);

// out = gain act(x W^T + b).
typedef struct padic_rnn_linear_desc {
    padic_tensor x;       // (B, I)
    padic_tensor weights; // W: (O, I)
    padic_tensor scale;   // of I8 weights: F32 (O)
    padic_tensor bias;    // (O); zero: 0
    padic_rnn_activation activation;
    double gain;      // 0: 1
    padic_tensor out; // (B, O)
    uint32_t flags;
    padic_tensor workspace; // as above
} padic_rnn_linear_desc;
PADIC_API padic_result padic_rnn_linear(padic_context *context, const padic_rnn_linear_desc *desc);
PADIC_API uint64_t padic_rnn_linear_workspace(padic_context *context,
                                              const padic_rnn_linear_desc *desc);

// A layer of a stack. Its inputs are the outputs of the one before it.
typedef struct padic_rnn_layer {
    padic_rnn_kind kind;
    padic_rnn_reset reset;           // GRU
    padic_rnn_update update;         // GRU
    padic_rnn_activation activation; // LINEAR
    double gain;                     // LINEAR; 0: 1
    double forget_bias;              // LSTM
    padic_rnn_weights weights;       // in host memory
    padic_rnn_weights backward;      // BIDIRECTIONAL, of recurrent layers
} padic_rnn_layer;

// The output o of a step goes into columns of the next step's input, from `feedback_first` on.
typedef enum padic_rnn_feedback {
    PADIC_RNN_FEEDBACK_NONE = 0,
    PADIC_RNN_FEEDBACK_REPLACE = 1, // column = o
    PADIC_RNN_FEEDBACK_ADD = 2      // column += o; then the columns of a row, as a vector, are
                                    // scaled to the length clip_radius if they are longer
} padic_rnn_feedback;

// A plan: packed copies of all weights, and scratch. It serves one call at a time, of as many
// workers as the jobs hook has when it is made.
typedef struct padic_rnn_plan padic_rnn_plan;

typedef struct padic_rnn_plan_desc {
    const padic_rnn_layer *layers;
    uint32_t layer_count; // 1 to PADIC_RNN_LAYERS
    padic_dtype dtype;    // of activations and states: F32 (0) or F64
    uint32_t flags;       // REVERSE or BIDIRECTIONAL
    padic_rnn_feedback feedback; // not with REVERSE or BIDIRECTIONAL
    uint64_t feedback_first;
    double clip_radius; // ADD; 0: none
    uint64_t batch;     // most rows that one worker takes at a time, 1 to 64; 0: 64. A hint
    uint64_t steps;     // BIDIRECTIONAL: most steps of a run
    padic_tensor workspace; // U8 of rank 1, padic_rnn_plan_size_bound() bytes of host memory, on 64
                            // bytes, for as long as the plan lives; zero: from the allocator
} padic_rnn_plan_desc;

// Returns the bytes of a plan at most; 0 if the desc makes no sense.
PADIC_API uint64_t padic_rnn_plan_size_bound(padic_context *context,
                                             const padic_rnn_plan_desc *desc);
// Errors: LIMIT (more than PADIC_RNN_LAYERS layers, or than memory can hold). *plan is NULL then.
PADIC_API padic_result padic_rnn_plan_create(padic_context *context,
                                             const padic_rnn_plan_desc *desc,
                                             padic_rnn_plan **plan);
// Before its context is destroyed. NULL is fine.
PADIC_API void padic_rnn_plan_destroy(padic_rnn_plan *plan);

typedef struct padic_rnn_plan_report {
    uint64_t size;         // bytes of the plan
    uint64_t parameters;   // weights and biases, as padic_rnn_param_count() counts them
    uint64_t input;        // I of the first layer
    uint64_t output;       // columns of `out`
    uint32_t state_layers; // L times directions, L recurrent layers: of h0, c0, out_h, out_c
    uint64_t state;        // their last axis: the largest H
} padic_rnn_plan_report;
PADIC_API padic_result padic_rnn_plan_info(const padic_rnn_plan *plan,
                                           padic_rnn_plan_report *report);

// Runs a stack over T steps. D = H of the last layer (twice that BIDIRECTIONAL) or its O. States
// have a slice for each recurrent layer, forward before backward; where layers have different H,
// that is the first H of the last axis, and what is beyond is not read and becomes 0; so does all
// of c in the slice of a GRU. Where feedback writes, columns of x count at step 0 only. `out_h` may
// be `h0`, `out_c` may be `c0`.
//
// A sequence may be cut into runs, with the same bits (not REVERSE or BIDIRECTIONAL): out_h and
// out_c are the h0 and c0 of the next run, and with feedback the last of `columns` goes into the
// columns of its x at step 0.
//
// REVERSE and backward outputs stand at the steps of their inputs. `lengths`: from its length on a
// row keeps its states and has outputs 0; REVERSE and backward layers begin with the last step
// before it. Errors: also ARGUMENT (a length above T, another
// context's plan), LIMIT (BIDIRECTIONAL: T above the plan's `steps`).
typedef struct padic_rnn_run_desc {
    padic_rnn_plan *plan;
    padic_tensor x;       // (T, B, I), or (B, T, I) BATCH_FIRST; any strides
    padic_tensor h0, c0;  // (layers, B, H); zero: 0. c0, out_c: only with an LSTM
    padic_tensor lengths; // U32 (B); zero: T
    padic_tensor out;     // (T, B, D), or (B, T, D); zero: not wanted
    padic_tensor out_h, out_c; // final states; zero: not wanted
    padic_tensor columns; // with feedback: (T, B, D), or (B, T, D): what step t made of them; from
                          // a row's length on what they were. Zero: not wanted
    uint32_t flags;       // BATCH_FIRST, CHECK_FINITE
} padic_rnn_run_desc;
PADIC_API padic_result padic_rnn_run(padic_context *context, const padic_rnn_run_desc *desc);

// Numbers of a layer with I = inputs and H = units: G H (I + H + 2) with both biases, LINEAR
// H (I + 1). Twice that for two directions. 0 beyond 64 bits.
PADIC_API uint64_t padic_rnn_param_count(padic_rnn_kind kind, uint64_t inputs, uint64_t units);

// How libraries lay out the weights of a layer in one direction; padic_rnn_weights then holds:
//
//               gates            input        recurrent    bias; recurrent_bias
//     LIBRARY   r,z,n; i,f,g,o   (G H, I)     (G H, H)     (G H); (G H)
//     ONNX      z,r,n; i,o,f,g   (G H, I)     (G H, H)     (2 G H); none
//     KERAS     z,r,n; i,f,g,o   (I, G H)     (H, G H)     (G H), or (2, 3 H) of a GRU AFTER; none
//     LEGACY    z,r,n            (3, H, I+H)  none         (3, H); none. A GRU BEFORE
//
// LIBRARY is PyTorch and cuDNN, too (linLayerID 0, 1, 2 and 3, 4, 5 of a GRU). ONNX's arrays may
// have its leading axis of directions. LEGACY: of each gate a matrix on [x, h].
typedef enum padic_rnn_convention {
    PADIC_RNN_CONVENTION_LIBRARY = 0,
    PADIC_RNN_CONVENTION_ONNX = 1,
    PADIC_RNN_CONVENTION_KERAS = 2,
    PADIC_RNN_CONVENTION_LEGACY = 3
} padic_rnn_convention;

// Weights from one convention to another. Every array is dense and F32, F64, F16 or BF16; `out`
// may have other dtypes: to the nearest, ties to even. I8 for `input` and `recurrent` and not with
// LEGACY: out's scales, one for each gate of a unit (KERAS: for a column) in the convention's
// order, become the largest |w| / 127 (0: 1; NaN, and the integers 0, if a w is not finite), and
// the integers the nearest. D0; numbers that keep their dtype keep their bits.
// Where two biases become one (all but a GRU AFTER) it is their sum, rounded once; one that is 0
// leaves the other as it is, and where one becomes two the recurrent one is 0. Absent biases of
// `in` are 0.
// Errors: also NOT_SUPPORTED (LEGACY of another cell than a GRU BEFORE: no weights turn AFTER into
// BEFORE; peepholes that are not 0; a projection; I8 with LEGACY).
typedef struct padic_rnn_convert_desc {
    padic_rnn_kind kind; // GRU or LSTM
    padic_rnn_reset reset;
    padic_rnn_update update; // REPLACE: negates what makes z, so that the net becomes one of KEEP
    padic_rnn_convention from, to;
    uint32_t from_direction, to_direction; // of ONNX's arrays with an axis of directions: 0 or 1
    padic_rnn_weights in, out;
    padic_tensor peepholes;  // LSTM, (3 H), if `in` has them: they must be 0
    uint64_t projection;     // LSTM: columns of its projection, if it has one: refused
} padic_rnn_convert_desc;
PADIC_API padic_result padic_rnn_convert(padic_context *context,
                                         const padic_rnn_convert_desc *desc);

// Points of a closed curve, and its velocity, the exact derivative. With th = frequency t + phase:
//
//     p(t) = centre + drift t + scale sum_n (A_n cos(n th) + B_n sin(n th)),  0 <= n <= N
//
// Without `times` point i has t = start + i step.
typedef enum padic_rnn_preset {         // x; y; z
    PADIC_RNN_PRESET_CIRCLE = 0,        // cos; sin; 0
    PADIC_RNN_PRESET_FIGURE8 = 1,       // sin th; (1/2) sin 2th; 0
    PADIC_RNN_PRESET_STAR5 = 2,         // .6 cos 2th + .4 cos 3th; .6 sin 2th - .4 sin 3th; 0
    PADIC_RNN_PRESET_HEART = 3,         // (12 sin th - 4 sin 3th)/17;
                                        // (13 cos th - 5 cos 2th - 2 cos 3th - cos 4th)/17; 0
    PADIC_RNN_PRESET_LISSAJOUS = 4,     // sin a th; sin b th; sin c th
    PADIC_RNN_PRESET_TREFOIL = 5,       // (sin th + 2 sin 2th)/3; (cos th - 2 cos 2th)/3;
                                        // -sin(3th)/3
    PADIC_RNN_PRESET_SPIRAL = 6,        // circle; `drift` 0: along z, 1 per unit of time
    PADIC_RNN_PRESET_CUSTOM = 7         // `cosines`, `sines`
} padic_rnn_preset;

#define PADIC_RNN_HARMONICS 64

// Sums in f64. Errors: also LIMIT (N above PADIC_RNN_HARMONICS).
typedef struct padic_rnn_path_desc {
    padic_rnn_preset preset;
    uint32_t ratio[3];            // LISSAJOUS: a, b, c, up to PADIC_RNN_HARMONICS; all 0: 1, 2, 3
    padic_tensor cosines, sines;  // CUSTOM: A and B, F64 (3, N + 1), dense; one may be zero
    double frequency;             // 0: 1
    double phase;                 // delta
    double scale;                 // 0: 1
    double centre[3], drift[3];
    double start, step;           // step 0: 1
    padic_tensor times;           // F32 or F64 (n); zero: start and step
    padic_tensor position;        // F32 or F64 (n, 3); zero: not wanted
    padic_tensor velocity;        // the same
} padic_rnn_path_desc;
PADIC_API padic_result padic_rnn_path(padic_context *context, const padic_rnn_path_desc *desc);
