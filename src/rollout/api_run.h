#pragma once
// ------------------------------------------------------------------------------- >>evaluation API
//
// The output for a state is a function of it and of its operator's weights: its bits are the same
// whatever the other states, the batch, max_bytes and the workers are. D1; D2 between backends.
//
// Without vectors, and with F64 states, an evaluation is computed in f64 and rounded once. With
// vectors and F32 it is in f32: the error of a convolution is at most 1.01 (C_in kernel^2 + 2) u
// sum |w x|, that of an activation 4 u max(1, |x|), u = 2^-24. Statistics of norms are merged from
// tiles of rows (Chan, Golub, LeVeque 1979), in a tree that depends on the operator alone; in f32
// their sums of squares stay below 2^128 for numbers up to 1e15, and a norm of larger ones may be
// its beta, or NaN. A NaN or infinity spreads as the formulas have it: with a norm over its
// statistics.
//
// A NOISE node k has random numbers of (seed; purpose 4 or 5, realisation, site k; operator's id;
// step): so no two operators, realisations or steps share any, and all states of one operator,
// realisation and step do. `noise_ids` says of which realisation a state is, below 2^20. In f32 it
// is padic_rollout_noise() to the bit, else in f64 with the same s and n.
//
// Devices do padic_rollout_apply() and padic_rollout_run() of F32 states, in f32: all nodes, of
// SPECTRAL those of up to 1,024 x 2,048 cells and of NOISE with a length of up to 2,048 x 2,048;
// noise has the CPU's random numbers, and with a length its normal field within 4e-6; all policies,
// posts, failures and outputs; all metrics, ENTROPY of up to 2,048 bins and SPECTRUM of up to 2,048
// rows and columns, within their 1e-6. States stay on the device until a rollout ends; frames of
// STREAM are copied while the next step computes, and handed over after that has been launched, or
// packed there for a record with a profile. A
// convolution and an activation have the errors above, the norms' tiles are of cells, transforms
// are sums over the modes that are kept, policies and posts have two words of f32. With FAIL or a
// report a rollout waits for its statuses at its end.
// In 16 bits NVIDIA's devices from sm_80 on do both, on tensor cores: lists of CONV of stride 1 and
// kernels of up to 7, with any norm but FROZEN, of up to 256 channels unless it is INSTANCE, and of
// ADD; then NOISE without a length, or none; at last a 1 x 1 CONV with neither norm nor activation,
// to up to 4 channels from up to 512; no taps. Normal numbers are within 4e-6 there.
// A recording takes an evaluation without noise, no rollout but a plan's. All else, so F64, is done
// by the CPU, to which tensors in buffers are moved; a strict context says NOT_SUPPORTED.

// In what numbers. F16 and BF16: the weights w, the state that a node reads and the output of every
// node but the last are rounded to 16 bits, to the nearest, ties to even; sums, statistics, b,
// gamma, beta, mu, var, transforms and what follows the last node stay as they are with F32. A
// number that becomes infinite by it, or that is not finite, makes a rollout's status NOT_FINITE,
// whatever an activation makes of it. Relative to the root mean square of the output its error has
// a root mean square of about 2e-3 and 2e-2 (4 layers of 64 channels).
typedef enum padic_rollout_precision {
    PADIC_ROLLOUT_PRECISION_F32 = 0,
    PADIC_ROLLOUT_PRECISION_F16 = 1,  // of F32 states
    PADIC_ROLLOUT_PRECISION_BF16 = 2, // of F32 states
    PADIC_ROLLOUT_PRECISION_F64 = 3   // all in f64, rounded once; F64 states always have it
} padic_rollout_precision;

// The output of one node of an evaluation, after its norm and activation.
typedef struct padic_rollout_tap {
    uint32_t node;    // as users of it name it: 1 is the first of the list
    padic_tensor out; // (N, B, C, H, W) of that node, of state's dtype, dense
} padic_rollout_tap;

#define PADIC_ROLLOUT_TAPS 8 // most of a call

// out = F(state), one evaluation for each of N operators and B states of each. One node alone, a
// convolution, a norm, a resampling, is an operator of one node.
// Errors: as padic_rollout_operator_info(); DTYPE, MISMATCH (weights, state, out, ids; 16 bits of
// F64 states); MEMORY;
// those of out also for taps, ARGUMENT (a tap of no node, or a tensor of none);
// with nothing written also: ARGUMENT (a noise_scale that padic_rollout_noise() refuses, ANNEALING
// with frames 0, an unknown flag); LIMIT (a realisation from 2^20 on). N or B 0: done at once.
typedef struct padic_rollout_apply_desc {
    padic_rollout_operator op;
    padic_tensor weights; // (N, P), F32 or F64
    padic_tensor state;   // (N, B, C, H, W), F32 or F64, dense
    padic_tensor out;     // (N, B, C', H', W') of the last node, of state's dtype, dense
    uint64_t max_bytes;   // of working memory: fewer trajectories at a time; 0: no limit
    padic_rollout_precision precision;
    uint32_t flags;       // PADIC_ROLLOUT_QUIET
    // of NOISE nodes
    uint64_t seed;
    padic_tensor ids;         // U32 (N): of the operators; zero: 0, 1, ..
    padic_tensor noise_ids;   // U32 (B); zero: 0, 1, ..
    padic_tensor noise_scale; // F32 or F64 (N): instead of the scale of all laws; zero: theirs
    uint32_t step, frames;    // t, T
    padic_rollout_tap taps[PADIC_ROLLOUT_TAPS]; // those with a node that is not 0 are wanted
} padic_rollout_apply_desc;
PADIC_API padic_result padic_rollout_apply(padic_context *context,
                                           const padic_rollout_apply_desc *desc);

// X_t from the state before and O = F(X_{t-1}). CONVEX: alpha multiplies the PREVIOUS state; some
// texts swap alpha and 1 - alpha.
typedef enum padic_rollout_policy {
    PADIC_ROLLOUT_POLICY_AUTOREGRESSIVE = 0, // O
    PADIC_ROLLOUT_POLICY_RESIDUAL = 1,       // X_{t-1} + dt O; dt 0.01 by default, 0 is X_{t-1}
    PADIC_ROLLOUT_POLICY_CONVEX = 2 // alpha X_{t-1} + (1 - alpha) O, 0 <= alpha <= 1, 0.5 by
                                    // default; 1 is X_{t-1}, 0 is O, bit for bit
} padic_rollout_policy;

// What is done to each X_t, X_0 included, within a trajectory; then CLAMP.
typedef enum padic_rollout_post {
    PADIC_ROLLOUT_POST_NONE = 0,
    PADIC_ROLLOUT_POST_MINMAX = 1, // (x - min)/(max - min) if that is above 1e-8, else x
    PADIC_ROLLOUT_POST_ZSCORE = 2  // (x - mean)/(std + 1e-8), std of the population
} padic_rollout_post;

// After the first X, before post, with a number x that is not |x| <= limit, or X_0 of an operator
// that has a weight that is not finite:
typedef enum padic_rollout_failure {
    PADIC_ROLLOUT_FAILURE_REPORT = 0, // the trajectory goes on as it is
    PADIC_ROLLOUT_FAILURE_FREEZE = 1, // X stays as it was before; of an initial condition as STOP
    PADIC_ROLLOUT_FAILURE_STOP = 2,   // this frame and all later ones are quiet NaN
    PADIC_ROLLOUT_FAILURE_FAIL = 3    // as STOP, and the call returns NOT_FINITE at its end, with
                                      // operator, initial condition, realisation and step
} padic_rollout_failure;

typedef enum padic_rollout_output {
    PADIC_ROLLOUT_OUTPUT_ALL = 0,   // F = T frames
    PADIC_ROLLOUT_OUTPUT_EVERY = 1, // t = 0, s, 2 s, ..: F = floor((T - 1)/s) + 1; WITH_LAST: and
                                    // T - 1
    PADIC_ROLLOUT_OUTPUT_LAST = 2,  // T - 1: F = 1
    PADIC_ROLLOUT_OUTPUT_NONE = 3,
    PADIC_ROLLOUT_OUTPUT_STREAM = 4 // the frames of EVERY, handed to `stream`
} padic_rollout_output;

enum { // flags of a run; QUIET also of one evaluation
    PADIC_ROLLOUT_INITIAL_PER_OPERATOR = 1, // `initial` has one for each operator; I = 1
    PADIC_ROLLOUT_POST_PER_CHANNEL = 2,
    PADIC_ROLLOUT_CLAMP = 4,    // post ends with lo <= x <= hi; NaN stays
    PADIC_ROLLOUT_WITH_LAST = 8, // EVERY, STREAM
    PADIC_ROLLOUT_QUIET = 16     // NOISE nodes add nothing
};

typedef enum padic_rollout_code {
    PADIC_ROLLOUT_CODE_OK = 0,
    PADIC_ROLLOUT_CODE_NOT_FINITE = 1, // a NaN or an infinity, also of a weight, or in 16 bits
    PADIC_ROLLOUT_CODE_BLOWUP = 2      // finite, but above the limit
} padic_rollout_code;

typedef struct padic_rollout_status { // of a trajectory: four U32 of `status`
    uint32_t code;      // padic_rollout_code
    uint32_t step;      // the first that failed; OK: 0
    float max_abs;      // the largest finite |x| of all X up to it, before post
    uint32_t last_good; // step; 2^32 - 1: none
} padic_rollout_status;

typedef struct padic_rollout_run_report {
    uint64_t failed;   // trajectories
    uint64_t batch;    // trajectories that were computed side by side
    uint64_t size;     // bytes of working memory
    uint64_t op, initial, realisation; // of the first trajectory that failed
    uint32_t step;
} padic_rollout_run_report;

// Frames of the trajectories that run together: trajectory (n I + i) M + m of operator n, initial
// condition i and realisation m, from `first` on. There are F of them, up to that of step t: as
// many as have come since the ring began anew. They stay as they are until it does so again.
typedef struct padic_rollout_view {
    uint64_t first, count; // trajectories
    uint64_t frame;        // which one of F of the run the last of them is
    padic_tensor frames;   // (count, F, C, H, W), of initial's dtype, in host memory
} padic_rollout_view;

typedef struct padic_rollout_record padic_rollout_record; // >>dataset API

// Where frames go in order of t: to a function, or to a record. All trajectories run together; with
// max_bytes, or on a device whose memory does not hold them, those that fit, one set after another.
//
// `frame` is called in the thread of the call, whose context it may not use. Returns 0 to go on;
// after anything else the call stops, with CANCELLED.
//
// `record` gets each block as soon as it is whole, as by padic_rollout_record_frames(): a device
// keeps the frames of a block and packs them itself, if the record has a profile; else they are
// copied as for `frame`. So the rollout's trajectories are the record's from `first` on, and it has
// their frames (MISMATCH) and the context of the call (ARGUMENT). Metrics and statuses go to
// padic_rollout_record_metrics() after the call. What the record says is what the call returns
// (MEMORY, CALLBACK); what came before is in it.
typedef struct padic_rollout_stream {
    int (*frame)(uint32_t t, const padic_rollout_view *view, void *user);
    void *user;
    uint32_t ring; // frames of each trajectory that are held for `frame`, at most 65,536; 0: 2.
                   // Rollouts on devices have two rings in host memory
    padic_rollout_record *record; // instead of `frame`
    uint64_t first;
} padic_rollout_stream;

// X_0 = post(initial); for t = 1 .. T-1: O = F(X_{t-1}), X = policy(X_{t-1}, O), check, X_t =
// post(X). T frames are T - 1 evaluations. The last node has the state's shape. Memory comes from
// the allocator, once; steps allocate nothing. The progress hook counts steps. Metrics are those of
// padic_rollout_reduce() of all frames, bit for bit; of F64 states, of frames rounded to F32.
//
// Errors: as padic_rollout_apply(); ARGUMENT (T = 0, lo > hi, a limit or bound that is not finite,
// unknown enum or flag, metrics that make no sense, `reduce` or `reduce_every` without metrics,
// `stream` without STREAM or STREAM without its frame or record; with nothing written: alpha
// outside [0, 1], dt not finite); MISMATCH; MEMORY (also max_bytes too low for one trajectory);
// NOT_FINITE (FAIL); CANCELLED. No operators or initial conditions: done at once.
typedef struct padic_rollout_run_desc {
    padic_rollout_operator op;
    padic_tensor weights;  // (N, P), F32 or F64
    padic_tensor initial;  // (I, C, H, W), or (N, C, H, W): F32 or F64, dense
    uint32_t realisations; // M; 0: 1. They differ by their noise alone
    uint32_t steps;        // T
    padic_rollout_policy policy;
    padic_tensor parameter; // F32 or F64 (N): dt or alpha; zero: the default
    padic_rollout_post post;
    double lo, hi;    // CLAMP
    double limit;     // 0: FLT_MAX
    padic_rollout_failure failure;
    padic_rollout_output output;
    uint32_t every; // s; 0: 1
    uint32_t flags;
    padic_rollout_stream stream;   // STREAM
    padic_rollout_metrics reduce;  // columns of `metrics`
    uint32_t reduce_every;         // r: of X_t for t = 0, r, 2 r, ..; 0: 1
    padic_tensor metrics; // F32 (N, I, M, F_r, R), dense, F_r = floor((T - 1)/r) + 1, R columns;
                          // zero: not wanted. The frame before is X_{t-1}, whatever r is
    padic_tensor out;    // (N, I, M, F, C, H, W), of initial's dtype, dense; NONE, STREAM: zero
    padic_tensor status; // U32 (N, I, M, 4), dense; zero: not wanted
    uint64_t max_bytes;  // as padic_rollout_apply_desc
    padic_rollout_run_report *report; // NULL: not wanted
    padic_rollout_precision precision;
    // of NOISE nodes, as padic_rollout_apply_desc; t is the frame that is made, T is `steps`
    uint64_t seed;
    padic_tensor ids;         // U32 (N); zero: 0, 1, ..
    padic_tensor noise_ids;   // U32 (I, M); zero: m, the same for all initial conditions
    padic_tensor noise_scale; // F32 or F64 (N)
} padic_rollout_run_desc;
PADIC_API padic_result padic_rollout_run(padic_context *context,
                                         const padic_rollout_run_desc *desc);
