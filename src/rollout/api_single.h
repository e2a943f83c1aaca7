#pragma once
// ----------------------------------------------------------------------------------- >>single API
//
// One node alone, with the numbers that a rollout has from it: the first four evaluate an operator
// of one node by padic_rollout_apply(), whose state is `in`, and have its errors. Fields are
// (B, C, H, W), F32 or F64, dense, `in` and `out` of one dtype; weights are a row of the node's,
// (P), F32 or F64, any stride; zero where P is 0.

// CONV, of as many channels as `out` has. weights: w (out, in, dy, dx); b where norm is NONE;
// gamma, beta; mu, var.
typedef struct padic_rollout_conv_desc {
    padic_tensor in, weights, out;
    uint32_t kernel, stride; // 0: 3; 0: 1
    padic_rollout_boundary boundary;
    padic_rollout_norm norm;
    uint32_t groups;
    padic_rollout_act act;
    uint32_t flags; // AFFINE, STATISTICS
    float eps;      // 0: 1e-5
} padic_rollout_conv_desc;
PADIC_API padic_result padic_rollout_conv(padic_context *context,
                                          const padic_rollout_conv_desc *desc);

// NORM. weights: gamma, beta; mu, var.
typedef struct padic_rollout_norm_act_desc {
    padic_tensor in, weights, out;
    padic_rollout_norm norm;
    uint32_t groups;
    padic_rollout_act act;
    uint32_t flags; // AFFINE, STATISTICS
    float eps;      // 0: 1e-5
} padic_rollout_norm_act_desc;
PADIC_API padic_result padic_rollout_norm_act(padic_context *context,
                                              const padic_rollout_norm_act_desc *desc);

// UP, or MEAN if `halve` is 1. weights of TRANSPOSED: w (in, out, dy, dx), b.
typedef struct padic_rollout_resample_desc {
    padic_tensor in, weights, out;
    uint32_t halve;
    padic_rollout_up up;
    padic_rollout_boundary boundary; // BILINEAR
} padic_rollout_resample_desc;
PADIC_API padic_result padic_rollout_resample(padic_context *context,
                                              const padic_rollout_resample_desc *desc);

// SPECTRAL, of as many channels as `out` has. weights: (in, out, row, column, 2).
typedef struct padic_rollout_spectral_mix_desc {
    padic_tensor in, weights, out;
    uint32_t modes;
    uint32_t flags; // ONE_SIDED
} padic_rollout_spectral_mix_desc;
PADIC_API padic_result padic_rollout_spectral_mix(padic_context *context,
                                                  const padic_rollout_spectral_mix_desc *desc);

// The policy of a rollout: out = X_t from `before`, X_{t-1}, and `output`, O = F(X_{t-1}). In f64,
// rounded once. D1. Errors: DTYPE; MISMATCH; ARGUMENT (unknown policy, not dense, a parameter for
// AUTOREGRESSIVE; with nothing written: alpha outside [0, 1], dt not finite); OVERLAP.
typedef struct padic_rollout_update_desc {
    padic_rollout_policy policy;
    padic_tensor parameter;      // F32 or F64 (N): dt or alpha; zero: the default
    padic_tensor before, output; // (N, ..), F32 or F64, dense
    padic_tensor out;            // like them; may be `output`, as the same view
} padic_rollout_update_desc;
PADIC_API padic_result padic_rollout_update(padic_context *context,
                                            const padic_rollout_update_desc *desc);

// What a rollout does to a state before it is kept: out = post(state), then CLAMP, trajectory by
// trajectory. D1. Errors: DTYPE; MISMATCH; ARGUMENT (unknown post or flag, not dense, lo > hi,
// POST_PER_CHANNEL without post); OVERLAP.
typedef struct padic_rollout_postprocess_desc {
    padic_rollout_post post;
    double lo, hi;      // CLAMP
    uint32_t flags;     // POST_PER_CHANNEL, CLAMP
    padic_tensor state; // (B, C, H, W), F32 or F64, dense
    padic_tensor out;   // like it; may be `state`, as the same view
} padic_rollout_postprocess_desc;
PADIC_API padic_result padic_rollout_postprocess(padic_context *context,
                                                 const padic_rollout_postprocess_desc *desc);

// ---- of operators and precisions

// The error that one precision has against another, step by step and not of long runs, which part
// for any rounding: for t = 1 .. T-1 both evaluate X_{t-1} of the rollout `run`, in its precision,
// and out (N, I, M, T - 1, 2) has, for the outputs O of `run.precision` and O' of `against`,
//
//     rms(O - O')/rms(O'),   max |O - O'|/rms(O')     (0 where O and O' are 0)
//
// `run` has neither outputs nor failure policy: output NONE, the rest that they need zero. In f64,
// D1. Errors: as padic_rollout_run(); ARGUMENT (an output, a status, a failure policy, a limit);
// DTYPE, MISMATCH (out). T of 0 is an error, of 1 nothing to do.
typedef struct padic_rollout_compare_desc {
    padic_rollout_run_desc run;
    padic_rollout_precision against;
    padic_tensor out; // F64 (N, I, M, T - 1, 2), dense
} padic_rollout_compare_desc;
PADIC_API padic_result padic_rollout_compare(padic_context *context,
                                             const padic_rollout_compare_desc *desc);

// Columns of padic_rollout_probe().
typedef enum padic_rollout_probe_column {
    PADIC_ROLLOUT_PROBE_LIPSCHITZ = 0,   // mean, max of eps 1e-4; 2: of 1e-3; 4: of 1e-2
    PADIC_ROLLOUT_PROBE_GAIN = 6,        // g(0.5); 7: g(0.75); 8: g(1.25); 9: g(1.5)
    PADIC_ROLLOUT_PROBE_FIT = 10,        // R^2 of the best line through the four g(s); 1 if all g
                                         // are alike
    PADIC_ROLLOUT_PROBE_SATURATION = 11, // 1.5 - g(1.5)
    PADIC_ROLLOUT_PROBE_COMPRESSION = 12, // g(0.5)/g(1.5)
    PADIC_ROLLOUT_PROBE_COLUMNS = 13
} padic_rollout_probe_column;

// How an operator answers to changes of each state x: the quotients |F(x + d) - F(x)|/|d| of J
// random d = eps n, and the gains g(s) = |F(s x)|/|F(x)|, Euclidean norms, in f64. d is what x + d,
// rounded to the state's dtype, differs by from x. n is padic_random_normal() of word e % 4 of
// block e / 4 of (seed; purpose 8, realisation, site j; operator's id; step 0), for number e of a
// state and draw j. Quotients with 0 are 0. There is no noise, unless `common` is 1: then all
// evaluations have the noise of padic_rollout_apply(). D1. Errors: as padic_rollout_apply();
// ARGUMENT (draws above 256, common above 1, not dense).
typedef struct padic_rollout_probe_desc {
    padic_rollout_operator op;
    padic_tensor weights;    // (N, P), F32 or F64
    padic_tensor state;      // (N, B, C, H, W), F32 or F64, dense
    padic_tensor out;        // F64 (N, B, 13), dense
    uint32_t draws;          // J; 0: 8
    uint32_t common;
    padic_rollout_precision precision;
    uint64_t max_bytes;      // as padic_rollout_apply_desc
    uint64_t seed;           // and all that follows
    padic_tensor ids, noise_ids, noise_scale;
    uint32_t step, frames;
} padic_rollout_probe_desc;
PADIC_API padic_result padic_rollout_probe(padic_context *context,
                                           const padic_rollout_probe_desc *desc);
