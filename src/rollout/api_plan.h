#pragma once
// ----------------------------------------------------------------------------------- >>plan API
//
// A rollout in parts: a plan holds packed weights, the states of all trajectories and working
// memory, and its calls allocate nothing. Any way of cutting T - 1 steps into calls gives the bits
// of padic_rollout_run().
//
// A plan of F32 states whose context has a device that does its rollout is on that device, unless
// it has max_bytes or FAIL, or is made while a recording is open: states, statuses and t stay
// there, and no call waits for it but one with a report, or a run with a stream, for its frames.
// Step, reset and run without a stream can be recorded then; a step that is replayed is the next
// one, of which `step` of a report and LIMIT do not know. After step T - 1 it has the noise scales
// of T - 1.

typedef struct padic_rollout_plan padic_rollout_plan;

// `run` says all but where results go: its out, status, metrics and report are zero. What it
// points at is copied, but for the context's hooks and the stream's user.
typedef struct padic_rollout_plan_desc {
    padic_rollout_run_desc run; // host memory; max_bytes: of the whole plan
    uint32_t measures;          // 1: metrics are computed, by run.reduce
} padic_rollout_plan_desc;

// Returns the bytes that a plan takes; 0 if the desc makes no sense, or there is no memory to
// find out.
PADIC_API uint64_t padic_rollout_plan_size_bound(padic_context *context,
                                                 const padic_rollout_plan_desc *desc);
// The plan is at t = 0. It is of this context, and serves one call at a time.
// Errors: as padic_rollout_run(), NOT_FINITE of an initial condition with FAIL; ARGUMENT (no
// operators or no initial conditions; run.out, status, metrics or report is given; views that are
// not in host memory). *plan is NULL then.
PADIC_API padic_result padic_rollout_plan_create(padic_context *context,
                                                 const padic_rollout_plan_desc *desc,
                                                 padic_rollout_plan **plan);
// NULL is fine. Before the plan's context is destroyed.
PADIC_API void padic_rollout_plan_destroy(padic_rollout_plan *plan);

// `count` steps. What is written is of the last of them. CANCELLED by the progress hook: between
// two steps, and the plan is where `status` says.
// Errors: ARGUMENT (a plan of another context, metrics without `measures`), DTYPE, MISMATCH; LIMIT
// (steps after T - 1), with nothing done; NOT_FINITE (FAIL: in these steps), CANCELLED.
typedef struct padic_rollout_plan_step_desc {
    padic_rollout_plan *plan;
    uint32_t count;       // 0: 1
    padic_tensor out;     // (N, I, M, C, H, W), dense: X_t; zero: not wanted
    padic_tensor metrics; // F32 (N, I, M, R), dense; zero: not wanted
    padic_tensor status;  // U32 (N, I, M, 4), dense; zero: not wanted
} padic_rollout_plan_step_desc;
PADIC_API padic_result padic_rollout_plan_step(padic_context *context,
                                               const padic_rollout_plan_step_desc *desc);

// All T steps from t = 0, with what padic_rollout_run() would have of the plan's desc: the plan is
// at T - 1 after it, or at 0 after CANCELLED or an error of a stream's record, which lives as long
// as the plan. Errors: as padic_rollout_run().
typedef struct padic_rollout_plan_run_desc {
    padic_rollout_plan *plan;
    padic_tensor out, metrics, status; // as there
    padic_rollout_run_report *report;  // NULL: not wanted
} padic_rollout_plan_run_desc;
PADIC_API padic_result padic_rollout_plan_run(padic_context *context,
                                              const padic_rollout_plan_run_desc *desc);

// t = 0, with new initial conditions of the same shape and dtype. Errors: ARGUMENT, DTYPE,
// MISMATCH; NOT_FINITE (FAIL).
typedef struct padic_rollout_plan_reset_desc {
    padic_rollout_plan *plan;
    padic_tensor initial; // zero: those that the plan has
} padic_rollout_plan_reset_desc;
PADIC_API padic_result padic_rollout_plan_reset(padic_context *context,
                                                const padic_rollout_plan_reset_desc *desc);

// Where the plan is: t, states and statuses.
typedef struct padic_rollout_plan_report {
    uint32_t step;   // t
    uint64_t failed; // trajectories, up to now
    uint64_t size;   // bytes of the plan
} padic_rollout_plan_report;

typedef struct padic_rollout_plan_status_desc {
    padic_rollout_plan *plan;
    padic_tensor out;                  // as of a step
    padic_tensor status;               // likewise
    padic_rollout_plan_report *report; // NULL: not wanted
} padic_rollout_plan_status_desc;
PADIC_API padic_result padic_rollout_plan_status(padic_context *context,
                                                 const padic_rollout_plan_status_desc *desc);
