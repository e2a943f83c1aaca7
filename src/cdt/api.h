#pragma once
// ------------------------------------------------------------------------------------ >>cdt API
//
// Random surfaces by Monte Carlo: two-dimensional quantum gravity as a sum over triangulations.
// Causal dynamical triangulations of the torus (Ambjorn, Loll: hep-th/9805108) and Euclidean ones
// of the sphere, with Pachner moves. Chains are D0: the same bytes on every machine, for any
// number of threads and any division into calls.
//
//     #define PADIC_IMPLEMENTATION
//     #include "padic.h"
//     #include <stdio.h>
//
//     int main(void) // the mean profile of 20 torus universes of 16 slices
//     {
//         static uint64_t sum[1][16];
//         padic_cdt_plan_desc desc = PADIC_ZERO;
//         padic_cdt_plan *plan;
//         desc.replicas = 20;
//         desc.slices = 16;
//         desc.target = 2000; // triangles
//         padic_result result = padic_cdt_plan_create(NULL, &desc, &plan);
//         padic_cdt_grow_desc grow = PADIC_ZERO;
//         padic_cdt_measure_desc measure = PADIC_ZERO;
//         measure.plan = grow.plan = plan;
//         measure.profile_sum = padic_tensor_2d(PADIC_U64, sum, 1, 16);
//         if (!result) result = padic_cdt_grow(NULL, &grow);
//         if (!result) result = padic_cdt_measure(NULL, &measure);
//         printf("%.0f links a slice, %s\n", (double)sum[0][0] / 20, padic_result_text(result));
//         padic_cdt_plan_destroy(plan);
//         return result != PADIC_OK;
//     }
//
// N0 vertices, N1 links and N2 triangles. The action is S = lambda N2 + S_V, S_V fixing the volume,
// and the chain's stationary law is e^-S / |Aut| on unlabelled triangulations.
//
// CAUSAL_TORUS: T slices, each a ring of l_t links; the strip between slices t and t + 1 (mod T) is
// a ring of up triangles (base on t) and down triangles (base on t + 1). Link i has the up triangle
// 2 i above it and the down triangle 2 i + 1 below it; vertex i is its left end. N0 = N2 / 2,
// N1 = 3 N0; two links may join the same vertices in time. EUCLID_SPHERE: triangle t has the
// half-edges 3 t, 3 t + 1 and 3 t + 2, each glued to its opposite; no loops, no double edges,
// N2 = 2 N0 - 4, N0 >= 4 (Tutte, Canad. J. Math. 14 (1962) 21, counts them).
//
//     move            one of           done if                               with probability
//     torus flip      N2 triangles     its right neighbour is of the other   1
//                                      type, and they are not the strip
//     torus insert    N0 links         there is room                         min(1, q N0/(N0+1) A)
//     torus delete    N0 vertices      order 4, and l_t > min_length         min(1, N0/(N0-1) B/q)
//     sphere flip     3 N2 half-edges  the new edge does not exist           1
//     sphere insert   N2 triangles     there is room                         min(1, q N2/(N0+1) A)
//     sphere delete   N0 vertices      order 3, N0 > 4                       min(1, N0/(N2-2) B/q)
//
// A = e^(-2 lambda - dS_V), B = e^(2 lambda - dS_V), q = weight of delete / weight of insert.
// Attempt n of replica r takes its kind, place and acceptance from one Philox block: key `seed`,
// counter (n low, n high, stream + r, 10). Acceptance compares integers, for a torus insertion
// u (N0 + 1) < E N0, u a word and E = round(2^32 q A) by an exponential in integers, at most 2^33.
//
// The context may be NULL; with jobs, replicas are divided among them. Results may lie in buffers:
// they are moved there. So may the chains of a plan: see `state`. Common errors: ARGUMENT (NULL, a
// field that makes no sense, an array that is not dense), MISMATCH (shape), DTYPE, ALIGNMENT,
// OVERLAP, MEMORY; then nothing is written.

typedef enum padic_cdt_kind {
    PADIC_CDT_KIND_CAUSAL_TORUS = 0,
    PADIC_CDT_KIND_EUCLID_SPHERE = 1
} padic_cdt_kind;

// S_V. The law must be one that can be normalised: lambda (with ABS lambda + epsilon) above the
// critical value, or SQUARE, or WINDOW.
typedef enum padic_cdt_volume {
    PADIC_CDT_VOLUME_ABS = 0,    // epsilon |N2 - target|
    PADIC_CDT_VOLUME_SQUARE = 1, // epsilon (N2 - target)^2
    PADIC_CDT_VOLUME_WINDOW = 2, // 0; moves out of window_min <= N2 <= window_max are refused
    PADIC_CDT_VOLUME_NONE = 3    // 0
} padic_cdt_volume;

enum { // moves, where a report counts them
    PADIC_CDT_MOVE_FLIP = 0,
    PADIC_CDT_MOVE_INSERT = 1,
    PADIC_CDT_MOVE_DELETE = 2,
    PADIC_CDT_MOVES = 3
};

// A plan: replicas of one ensemble, their records and counters, in one piece of memory. It starts
// with rings of max(min_length, 3) links, ups and downs alternating (fewer if `target` says so), or
// with tetrahedra.
typedef struct padic_cdt_plan padic_cdt_plan;

typedef struct padic_cdt_plan_desc {
    padic_cdt_kind kind;
    padic_cdt_volume volume;
    uint64_t replicas;   // 0: 1
    uint32_t slices;     // torus: T; 0: 32
    uint32_t min_length; // torus: least links of a slice; 0: 3. 1: the ensemble of exact formulas
    uint64_t target;     // triangles; even, at least those of the smallest state. WINDOW, NONE: 0
                         // is window_min, or the start
    double lambda;       // in [-16, 16]; 0: critical, ln 2 or ln(256/27) / 2
    double epsilon;      // in [0, 16]; 0: 0.02
    uint64_t window_min, window_max; // triangles
    uint32_t weight_flip, weight_insert, weight_delete; // at most 1,000; all 0: 5, 1, 4. Insert and
                                                        // delete are both 0 or neither is
    uint64_t seed;
    uint32_t stream;   // of replica 0
    uint64_t capacity; // most triangles of a replica, at most 2^28. Insertions beyond it are
                       // refused, and counted. 0: window_max; 2 target + 4,096; 65,536 with NONE
    padic_tensor lambdas; // F64 (replicas), in host memory: instead of lambda
    padic_tensor targets; // U64 (replicas), in host memory: instead of target
    padic_tensor workspace; // U8 of rank 1, padic_cdt_plan_size_bound() bytes of host memory, on 64
                            // bytes, for as long as the plan lives; zero: from the allocator
    padic_tensor state; // U8 of rank 1, padic_cdt_state_size_bound() bytes on a multiple of 64: the
                        // chains lie there for as long as the plan lives; zero: in the plan. In a
                        // buffer of a device they stay on it: its kernels grow, run and measure
                        // them (not shells and returns), and other calls move what they need to the
                        // host. Every call needs the buffer's context then. After a DEVICE error
                        // the plan is good for padic_cdt_plan_destroy() only
} padic_cdt_plan_desc;

// Returns the bytes of a plan; 0 if the desc makes no sense. Without its chains if `state` is set.
PADIC_API uint64_t padic_cdt_plan_size_bound(const padic_cdt_plan_desc *desc);
// Returns the bytes of `state`, whether it is set or not; 0 if the desc makes no sense.
PADIC_API uint64_t padic_cdt_state_size_bound(const padic_cdt_plan_desc *desc);
// Errors: also LIMIT (more than 2^32 replicas from `stream` on, capacity). *plan is NULL then.
PADIC_API padic_result padic_cdt_plan_create(padic_context *context,
                                             const padic_cdt_plan_desc *desc,
                                             padic_cdt_plan **plan);
// NULL is fine. The allocator of the context that it was made with must still be there.
PADIC_API void padic_cdt_plan_destroy(padic_cdt_plan *plan);

// What a plan or a checkpoint is, with all defaults filled in.
typedef struct padic_cdt_plan_report {
    padic_cdt_plan_desc desc; // lambda and target of replica 0; no tensors
    uint64_t size;            // bytes: of the plan
    uint64_t triangles;       // most of any replica
} padic_cdt_plan_report;
PADIC_API padic_result padic_cdt_plan_info(const padic_cdt_plan *plan,
                                           padic_cdt_plan_report *report);

// Attempts of one call, over all replicas.
typedef struct padic_cdt_run_report {
    uint64_t attempts[PADIC_CDT_MOVES], accepted[PADIC_CDT_MOVES];
    uint64_t refused; // insertions that the capacity refused
} padic_cdt_run_report;

// Inserts, at random places, until N2 = target in each replica (WINDOW without one: window_min),
// then runs `discard` attempts. Seven attempts of flips go with each insertion, and slices of the
// torus stay about equal, so that little is lost before a chain is in equilibrium.
// Errors: DOMAIN (target above the capacity; that replica stays as it is), CANCELLED (whole
// attempts were made, and the plan is good).
typedef struct padic_cdt_grow_desc {
    padic_cdt_plan *plan;
    uint64_t discard; // 0: 100 N2; UINT64_MAX: none
    padic_cdt_run_report *report;
} padic_cdt_grow_desc;
PADIC_API padic_result padic_cdt_grow(padic_context *context, const padic_cdt_grow_desc *desc);

// Makes `attempts` attempts in each replica, then goes on until so many `visits`, attempts that end
// with N2 = target, were made; the last of `attempts` counts. It can be divided: two calls of n / 2
// are one of n, and so are visits without attempts.
//
// A chain that is seen at its visits only has exactly the law of its volume: attempts 0 and many
// visits. With attempts and one visit it is near that, but not the same: a state where a chain
// arrives has just had an insertion or deletion. (Spheres of 6 vertices: 4 % octahedra, not 1/13.)
// Errors: LIMIT (the visits were not made), CANCELLED; both keep what was done.
typedef struct padic_cdt_run_desc {
    padic_cdt_plan *plan;
    uint64_t attempts;
    uint64_t visits;
    uint64_t attempts_more; // most attempts for the visits; 0: 2^32
    padic_cdt_run_report *report;
} padic_cdt_run_desc;
PADIC_API padic_result padic_cdt_run(padic_context *context, const padic_cdt_run_desc *desc);

enum { // columns of `counts`
    PADIC_CDT_COUNT_VERTICES = 0,
    PADIC_CDT_COUNT_LINKS = 1,
    PADIC_CDT_COUNT_TRIANGLES = 2,
    PADIC_CDT_COUNT_ATTEMPTS = 3, // since the plan was made: flips, insertions, deletions
    PADIC_CDT_COUNT_ACCEPTED = 6,
    PADIC_CDT_COUNT_REFUSED = 9, // by the capacity
    PADIC_CDT_COUNTS = 10
};

typedef enum padic_cdt_graph {
    PADIC_CDT_GRAPH_DUAL = 0,    // triangles, each with three neighbours
    PADIC_CDT_GRAPH_VERTICES = 1 // vertices and links; a double link counts twice
} padic_cdt_graph;

// Observables. Those without memory are not computed. The first axis has one row per replica, or
// one row, which gets their sum (of `returns` the mean).
typedef struct padic_cdt_measure_desc {
    const padic_cdt_plan *plan;
    uint32_t accumulate;          // 1: adds to what the U64 and F64 outputs hold
    padic_tensor counts;          // U64 (rows, PADIC_CDT_COUNTS)
    padic_tensor profile;         // U32 (replicas, T): l_t; torus
    padic_tensor profile_sum;     // U64 (rows, T): l_t
    padic_tensor profile_product; // U64 (rows, T, T): l_s l_t, for covariances
    padic_tensor order;           // U64 (rows, n): vertices of order q; the last of all above, too
    padic_tensor shells;          // U64 (rows, n): nodes at distance r of a root, over all roots
    padic_tensor returns;         // F64 (rows, n): P(s), the probability that a walk is back
                                  // after s steps, the mean over all roots; D1
    padic_cdt_graph graph;        // of shells and returns
    uint64_t roots; // of each replica; 0: 1; UINT64_MAX: all nodes. Root m is drawn from the Philox
                    // block m: counter (m, attempts, stream + replica, 11)
    padic_tensor workspace; // U8, padic_cdt_measure_workspace() bytes of host memory, 64-byte
                            // aligned; or zero: from the allocator
} padic_cdt_measure_desc;
PADIC_API padic_result padic_cdt_measure(padic_context *context,
                                         const padic_cdt_measure_desc *desc);
// Returns the bytes of workspace of a measurement, or of a check, of this plan in one thread.
PADIC_API uint64_t padic_cdt_measure_workspace(const padic_cdt_plan *plan);

// What is wrong with a triangulation; `label` is the number of a triangle, or of a vertex.
typedef enum padic_cdt_fault {
    PADIC_CDT_FAULT_NONE = 0,
    PADIC_CDT_FAULT_LABEL = 1,      // a number out of range
    PADIC_CDT_FAULT_SLICE = 2,      // a triangle between wrong slices; a slice that is too short
    PADIC_CDT_FAULT_NEIGHBOUR = 3,  // left and right, or opposite, are not inverse to each other
    PADIC_CDT_FAULT_RING = 4,       // a strip is not one ring
    PADIC_CDT_FAULT_ORDER = 5,      // links of a slice have two cyclic orders
    PADIC_CDT_FAULT_ENDS = 6,       // glued edges have other ends
    PADIC_CDT_FAULT_VERTEX = 7,     // triangles at a vertex are not one cycle
    PADIC_CDT_FAULT_LOOP = 8,       // an edge from a vertex to itself
    PADIC_CDT_FAULT_DOUBLE = 9,     // two edges with the same ends
    PADIC_CDT_FAULT_EULER = 10,     // not in one piece, or N0 - N1 + N2 is wrong
    PADIC_CDT_FAULT_COUNTER = 11    // a length, count or threshold that is not that of the state
} padic_cdt_fault;
// A sentence; "?" for a value that is no fault.
PADIC_API const char *padic_cdt_fault_text(padic_cdt_fault fault);

typedef struct padic_cdt_check_report {
    padic_cdt_fault fault; // the first
    uint64_t replica, label;
} padic_cdt_check_report;

// Checks every invariant of every replica, in linear time. Errors: CORRUPT.
typedef struct padic_cdt_check_desc {
    const padic_cdt_plan *plan;
    padic_tensor workspace; // as that of a measurement
    padic_cdt_check_report *report;
} padic_cdt_check_desc;
PADIC_API padic_result padic_cdt_check(padic_context *context, const padic_cdt_check_desc *desc);

typedef struct padic_cdt_save_report {
    uint64_t size; // bytes written, or needed
} padic_cdt_save_report;

// Writes a checkpoint: parameters, counters and records, little-endian, with checksums. A chain
// that is loaded from it goes on with the bytes of an unbroken one. Errors: CAPACITY.
typedef struct padic_cdt_save_desc {
    const padic_cdt_plan *plan;
    padic_bytes out;
    padic_cdt_save_report *report;
} padic_cdt_save_desc;
PADIC_API padic_result padic_cdt_save(padic_context *context, const padic_cdt_save_desc *desc);
// Returns the bytes of a checkpoint of this plan; those of later ones differ.
PADIC_API uint64_t padic_cdt_save_size_bound(const padic_cdt_plan *plan);

#define PADIC_CDT_MEMORY ((uint64_t)1 << 30) // bytes: what memory_limit 0 means

// Makes a plan from a checkpoint. Any bytes are safe: all invariants are checked, and no memory is
// taken before all counts fit the bytes. Errors: CORRUPT (see the report), CHECKSUM, VERSION, LIMIT
// (memory_limit). *plan is NULL then.
typedef struct padic_cdt_load_desc {
    padic_bytes bytes;
    uint64_t memory_limit; // most bytes of the plan and of checking it; UINT64_MAX: no limit
    padic_cdt_check_report *report;
} padic_cdt_load_desc;
PADIC_API padic_result padic_cdt_load(padic_context *context, const padic_cdt_load_desc *desc,
                                      padic_cdt_plan **plan);
// Reads the header of a checkpoint in host memory. Errors: as padic_cdt_load().
PADIC_API padic_result padic_cdt_info(padic_context *context, const padic_bytes *bytes,
                                      padic_cdt_plan_report *report);

// A replica as lists. Triangles have their vertices anticlockwise (time runs upwards); of the torus
// triangle 2 i is (i, right end, apex) and 2 i + 1 is (right end, i, apex).
typedef struct padic_cdt_export_desc {
    const padic_cdt_plan *plan;
    uint64_t replica;
    padic_tensor triangles; // U32 (N2, 3)
    padic_tensor slices;    // U32 (N0): of each vertex; torus; may be left out
} padic_cdt_export_desc;
PADIC_API padic_result padic_cdt_export(padic_context *context, const padic_cdt_export_desc *desc);

// Sets a replica from such lists, triangles in any order. Of the torus link i is the one whose left
// end is vertex i, and T >= 3 and l_t >= 3 are needed. Counters of attempts stay.
// Errors: CORRUPT (see the report), LIMIT (more than the capacity); the replica stays as it is.
typedef struct padic_cdt_import_desc {
    padic_cdt_plan *plan;
    uint64_t replica;
    padic_tensor triangles; // U32 (N2, 3)
    padic_tensor slices;    // U32 (N0); torus
    padic_cdt_check_report *report;
} padic_cdt_import_desc;
PADIC_API padic_result padic_cdt_import(padic_context *context, const padic_cdt_import_desc *desc);

typedef enum padic_cdt_statistic {
    PADIC_CDT_STATISTIC_MEAN = 0,
    PADIC_CDT_STATISTIC_VARIANCE = 1 // mean square deviation, with 1 / n
} padic_cdt_statistic;

// Of a series x_0 ... x_(n-1): a statistic with its jackknife error, from b blocks of floor(n / b)
// values, sqrt((b-1)/b sum (s_i - mean s)^2), s_i without block i; and the integrated
// autocorrelation time tau = 1/2 + sum_(t=1..W) rho(t), W the first >= 6 tau, with its error
// |tau| sqrt((4 W + 2) / n) (Madras, Sokal: J. Stat. Phys. 50 (1988) 109); rho(t) is the mean of
// the n - t products of deviations from the mean of the series, by that of its n squares. D1.
typedef struct padic_cdt_estimate_report {
    double value, error; // of the statistic, over whole blocks
    double tau, tau_error;
    uint64_t window;     // W; n - 1 where tau was not reached: the series is too short
} padic_cdt_estimate_report;

// Errors: ARGUMENT (n < 2, blocks < 2 or more than n), NOT_FINITE.
typedef struct padic_cdt_estimate_desc {
    padic_tensor series; // F64 (n), dense
    uint64_t blocks;     // 0: 20, or n if that is less
    padic_cdt_statistic statistic;
    padic_cdt_estimate_report *report;
} padic_cdt_estimate_desc;
PADIC_API padic_result padic_cdt_estimate(padic_context *context,
                                          const padic_cdt_estimate_desc *desc);

typedef enum padic_cdt_slope {
    PADIC_CDT_SLOPE_HAUSDORFF = 0, // of shells: d ln V / d ln r, V(r) their sum up to r
    PADIC_CDT_SLOPE_SPECTRAL = 1   // of returns: -2 d ln P / d ln s
} padic_cdt_slope;

// Dimensions from curves: out[r] is the slope between r - reach and r + reach of the mean of all
// curves, and error[r] its jackknife error over them. Where the window leaves the curve, or meets 0
// or a value that is not positive, both are 0. SPECTRAL uses even s with an even reach, since odd
// and even steps differ. D1. Errors: NOT_FINITE.
typedef struct padic_cdt_dimension_desc {
    padic_tensor curves; // F64 (curves, n), dense; shells or returns of replicas, say
    padic_cdt_slope slope;
    uint64_t reach;      // 0: 1 or 10
    padic_tensor out;    // F64 (n)
    padic_tensor error;  // F64 (n); may be left out
} padic_cdt_dimension_desc;
PADIC_API padic_result padic_cdt_dimension(padic_context *context,
                                           const padic_cdt_dimension_desc *desc);
