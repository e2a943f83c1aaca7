#pragma once
// ---------------------------------------------------------------------------------- >>field API
//
// Gross-Pitaevskii condensates: a complex field psi on a grid of 1 to 3 axes, in real or imaginary
// time, with hbar = 1. One functional gives the energy and the evolution, with dV the volume of a
// cell and L_z = -i (x d/dy - y d/dx):
//
//     E[psi] = integral ( K |grad psi|^2 + V |psi|^2 + sum_j (2 g_j / p_j) |psi|^p_j
//                         - Omega conj(psi) L_z psi ) dV
//     H psi  = -K Lap psi + V psi + sum_j g_j |psi|^(p_j - 2) psi - Omega L_z psi
//
//     real time         i d psi/dt = H psi
//     imaginary time    d psi/ds = -(H - mu) psi, the norm held      mu = <psi|H psi> / <psi|psi>
//
//     #define PADIC_IMPLEMENTATION
//     #include "padic.h"
//     #include <stdio.h>
//
//     int main(void) // the ground state of a trap, then an oscillation about another centre
//     {
//         static double psi[128][2] = {[50] = {1}, [60] = {1}, [70] = {1}};
//         padic_field_plan *plan;
//         padic_field_record record;
//         padic_field_plan_desc desc = PADIC_ZERO;
//         desc.dims = 1, desc.shape[0] = 128, desc.spacing[0] = 0.15;
//         desc.dtype = PADIC_C128, desc.dt = 0.01, desc.trap[0] = 0.5, desc.power[0].g = 3;
//         padic_result result = padic_field_plan_create(NULL, &desc, &plan);
//         padic_tensor field = padic_tensor_1d(PADIC_C128, psi, 128);
//         padic_field_ground_desc ground = {.plan = plan, .psi = field};
//         if (!result) result = padic_field_ground(NULL, &ground);
//         desc.centre[0] = 1; // half a period:
//         padic_field_step_desc step = {.plan = plan, .psi = field, .count = 314};
//         if (!result) result = padic_field_plan_set(NULL, &desc, plan);
//         if (!result) result = padic_field_step(NULL, &step);
//         padic_field_measure_desc measure = {.plan = plan, .psi = field, .report = &record};
//         if (!result) result = padic_field_measure(NULL, &measure);
//         printf("centre %.3f\n", result ? 0 : record.centroid[0]);
//         padic_field_plan_destroy(plan);
//     }
//
// p = 4 with K = 1/2 is the Gross-Pitaevskii equation, of interaction energy (g/2) |psi|^4; SI
// units: K = hbar / 2m, V / hbar, g / hbar. Energies use the Laplacian of the plan's method and the
// volume of a cell, so that what is conserved is what is printed.
//
// Work is done in f64, and rounded once where psi is C64. With vectors (padic_simd.h) SPLIT2 and
// SPLIT4 of C64 in real time are computed in f32, without an absorber, rotation or noise, and p of
// 3, 4 and 6: then psi is off by a relative 6e-7, 5e-6 and 6e-5 at most in the L2 norm after 1, 10
// and 100 steps whose phases of the interaction are below 1, and the norm by 2e-7 a step of SPLIT2
// and 8e-7 of SPLIT4, which NORM_LOCK gives back; four times as much where an axis has a prime
// factor above 7. Results are D1; D2 between backends. In C128 split steps move the norm by up to
// 3e-16 a step and axis, as roots of unity are rounded.
// Where psi lies in a buffer, devices make steps by kernels, in place, in psi's precision, of at
// most 2^30 points in all: of SPLIT2 and SPLIT4 axes of 2^a 3^b 5^c 7^d points, up to 2,048 of C64
// and 1,024 of C128, of FLOW, too; of the other methods, of imaginary time but in FLOW, and with
// noise up to 65,535 fields, and points along the first of three axes, of CAYLEY2 along the first
// two.
// They can be recorded, after the first call with a plan, without noise: a replay makes the steps,
// but moves no plan's time, and in imaginary time a field of norm 0 is no error. A call that
// progress cancels has made whole steps of all fields. What else there is, the host does, and psi
// goes there and back.
// Devices make the records of all these steps, too, and padic_field_measure(), _energy() and
// _hamiltonian(). The host waits for nothing between steps; at the end of a call with records,
// unless it is recorded, it asks whether one of them ended the steps, of each field by itself: the
// other fields have made all of theirs. Records of a replay have the times of the recording. Sums
// are in f64, or in two words of f32 where a device has none, by a fixed tree, transforms and
// differences in psi's precision: with e = 2^-24 of C64, 2^-53 of C128, n points and
// c = 8 (log2 n + 8) potential and interaction are off by c e of their sizes, the kinetic energy by
// c e sqrt(N (N + E_kin) M), M the largest K k^2, the rotation's by |Omega| and the length of the
// box times that.
// Errors of all calls: ARGUMENT (NULL, a field that makes no sense), DTYPE, MISMATCH (shape),
// OVERLAP, MEMORY; then nothing is written.

#define PADIC_FIELD_AXES 3
#define PADIC_FIELD_TERMS 3

// Places of the grid points j = 0 to n - 1 along an axis.
typedef enum padic_field_boundary {
    PADIC_FIELD_BOUNDARY_PERIODIC = 0,  // origin + j h
    PADIC_FIELD_BOUNDARY_DIRICHLET = 1, // origin + (j + 1) h, psi = 0 one step outside
    PADIC_FIELD_BOUNDARY_NEUMANN = 2    // origin + (j + 1/2) h, mirrored there
} padic_field_boundary;

//     method        boundary  order  a step
//     SPLIT2        periodic  2      phases of the potential, of k^2 between transforms, again of
//                                    the potential; exact but for the splitting. Unstable once
//                                    K sum_a (pi/h_a)^2 |dt| >= pi (Weideman, Herbst, SIAM J.
//                                    Numer. Anal. 23 (1986) 485): logged, and done
//     SPLIT4        periodic  4      five of these (Suzuki), with YOSHIDA three; real time only
//     CAYLEY2       any       2      (1 + i dt K A/2)^-1 (1 - i dt K A/2) along each axis between
//                                    phases, A = -d^2/dx^2 of second order; keeps the norm
//     LEAPFROG2     any       2      real part at t, imaginary part at t + dt/2; |dt| E_max < 2
//     RK4           any       4      Runge-Kutta, Laplacian of second order; |dt| E_max < 2.83
//     LEGACY_EULER  periodic  1      psi - i dt H psi, Laplacian of second order: unstable for
//                                    every dt, for comparison only
//     FLOW          periodic  -      imaginary time only: a semi-implicit gradient flow, whose
//                                    fixed point is exact for every dt
typedef enum padic_field_method {
    PADIC_FIELD_METHOD_SPLIT2 = 0,
    PADIC_FIELD_METHOD_SPLIT4 = 1,
    PADIC_FIELD_METHOD_CAYLEY2 = 2,
    PADIC_FIELD_METHOD_LEAPFROG2 = 3,
    PADIC_FIELD_METHOD_RK4 = 4,
    PADIC_FIELD_METHOD_LEGACY_EULER = 5,
    PADIC_FIELD_METHOD_FLOW = 6
} padic_field_method;

typedef enum padic_field_time {
    PADIC_FIELD_TIME_REAL = 0,
    PADIC_FIELD_TIME_IMAGINARY = 1 // SPLIT2, CAYLEY2 or FLOW
} padic_field_time;

typedef enum padic_field_layout {
    PADIC_FIELD_LAYOUT_INTERLEAVED = 0, // psi of dtype C64 or C128
    PADIC_FIELD_LAYOUT_PLANAR = 1       // F32 or F64 (the plan's dtype stays C64 or C128), with a
} padic_field_layout;                   // first axis of 2 more: real parts, imaginary parts

enum { // flags
    PADIC_FIELD_YOSHIDA = 1,      // SPLIT4 of three substeps: faster, larger errors
    PADIC_FIELD_NORM_LOCK = 2,    // after each record, without records at the end of a call, psi
                                  // gets the norm that the call began with; in real time, without
                                  // absorber and noise
    PADIC_FIELD_NORM_FREE = 4,    // not even after records of C64, where that is the default
    PADIC_FIELD_CHECK_FINITE = 8, // looks for NaN and infinity in psi before anything is done
    PADIC_FIELD_ORIGIN_GIVEN = 16 // origins are what they are, 0 too
};

// g |psi|^(p - 2), p > 2.
typedef struct padic_field_term {
    double g; // 0: no term
    double p; // 0: 4
} padic_field_term;

// A field, and how it moves. Psi has the extents `shape`, the last fastest, after an axis of
// `batch` if that is not 0; any positive strides.
typedef struct padic_field_plan_desc {
    uint32_t dims;                    // 1 to 3 axes: x, y, z
    uint64_t shape[PADIC_FIELD_AXES]; // points; SPLIT, FLOW: fastest of 2^a 3^b 5^c 7^d
    double spacing[PADIC_FIELD_AXES]; // h > 0
    double origin[PADIC_FIELD_AXES];  // 0: the box is centred
    padic_field_boundary boundary[PADIC_FIELD_AXES];
    padic_dtype dtype;                // 0: C64; or C128
    padic_field_layout layout;
    uint64_t batch;
    padic_field_method method;
    padic_field_time time;
    double dt;                        // not 0; negative in real time only
    double kinetic;                   // K; 0: 1/2
    padic_field_term power[PADIC_FIELD_TERMS];
    padic_tensor potential;           // F32 or F64 of the shape, in host memory, any strides;
                                      // added to the trap, zero: none
    double trap[PADIC_FIELD_AXES];    // sum_a trap_a (x_a - centre_a)^2; omega^2/2 where K = 1/2
    double centre[PADIC_FIELD_AXES];
    padic_tensor absorber;            // W >= 0, like `potential`: adds -i W; real time only; phases
                                      // are those of the density as it falls
    double rotation;                  // Omega about z: 2 or 3 axes, x and y periodic, of SPLIT2 and
                                      // SPLIT4; in imaginary time and for ground states, too
    double noise;   // D: d psi = sqrt(D / dV) dw, w complex, of unit variance per time, after each
                    // step of real time; Philox: key seed, counter (point, step low, step high,
                    // field of the batch)
    uint64_t seed;
    uint64_t measure_every;           // steps from record to record; 0: none
    double density_hint;              // largest |psi|^2 for the limits of dt
    double density_limit;             // a record with a density above it ends a call; 0: none
    uint32_t flags;
    padic_tensor workspace;           // U8 of rank 1, padic_field_plan_size_bound() bytes of host
                                      // memory on 64 bytes, where the plan lies; zero: from the
                                      // allocator
} padic_field_plan_desc;

// A plan: tables, arrays and transforms of one grid. It serves one call at a time.
typedef struct padic_field_plan padic_field_plan;

// Returns at least the bytes that a plan takes from this context's allocator, or of its workspace;
// 0 if the desc makes no sense.
PADIC_API uint64_t padic_field_plan_size_bound(padic_context *context,
                                               const padic_field_plan_desc *desc);
// The plan holds copies of `potential` and `absorber`. With `context` NULL it is for calls without
// one. Errors: also LIMIT (more than 2^40 points, 2^29 along an axis, 2^32 with noise), DOMAIN (a
// potential or absorber that is not finite), ARGUMENT (LEAPFROG2 or RK4 past their limit of dt,
// which the message gives; a workspace that is no such array), ALIGNMENT, CAPACITY (of the
// workspace). *plan is NULL then.
PADIC_API padic_result padic_field_plan_create(padic_context *context,
                                               const padic_field_plan_desc *desc,
                                               padic_field_plan **plan);
// Frees it, before its context is destroyed. NULL is fine.
PADIC_API void padic_field_plan_destroy(padic_field_plan *plan);
// New parameters in the same memory: dt, time, kinetic, power, trap, centre, potential, absorber,
// rotation, noise, measure_every, the limits, flags. Errors: MISMATCH (another grid, dtype, layout,
// batch or method; a potential or absorber where there was none, or none where there was one); the
// plan stays as it was. DOMAIN and a dt past the limit, as above: it refuses calls until it is set
// again.
PADIC_API padic_result padic_field_plan_set(padic_context *context,
                                            const padic_field_plan_desc *desc,
                                            padic_field_plan *plan);
// Returns the bytes that it holds.
PADIC_API uint64_t padic_field_plan_size(const padic_field_plan *plan);

// How long steps may be.
typedef struct padic_field_limits {
    double split_dt;     // |dt| must be below pi / (K sum_a (pi/h_a)^2), or plane waves may grow
    double energy_max;   // 4 K sum_a 1/h_a^2 + max |V| + sum_j |g_j| density_hint^((p_j - 2)/2)
    double leapfrog_dt;  // 2 / energy_max
    double rk4_dt;       // 2.83 / energy_max
    double phase;        // |dt| max |U|, U from min V + sum of the u_j below 0 to max V + sum of
                         // those above 0, u_j = g_j density_hint^((p_j - 2)/2)
    uint32_t past_split; // 1: the dt of a plan of SPLIT2 or SPLIT4 is not below split_dt
} padic_field_limits;
PADIC_API padic_result padic_field_plan_limits(const padic_field_plan *plan,
                                               padic_field_limits *report);

// What a field is. Records are F64: a tensor (.., PADIC_FIELD_COLUMNS) may have them as rows.
// Integrals are dV times the sum over the points.
typedef struct padic_field_record {
    double time, step;
    double norm;                          // N = integral |psi|^2
    double kinetic, potential;            // energies
    double interaction[PADIC_FIELD_TERMS];
    double rotation;                      // -Omega <L_z>
    double energy;                        // the sum of these
    double mu;                            // <psi|H psi> / N
    double angular_momentum;              // <psi|L_z psi>, not divided by N; 0 with one axis; by
                                          // transforms or, like the Laplacian, by differences
    double centroid[PADIC_FIELD_AXES];    // integral x |psi|^2 / N
    double density;                       // the largest |psi|^2
    double residual;                      // ||H psi - mu psi|| / ||psi||
    double status;                        // a padic_field_status
} padic_field_record;

#define PADIC_FIELD_COLUMNS 18

typedef enum padic_field_status {
    PADIC_FIELD_STATUS_FINE = 0,
    PADIC_FIELD_STATUS_NOT_FINITE = 1,
    PADIC_FIELD_STATUS_DENSE = 2 // above density_limit
} padic_field_status;

// Measures any psi, without a plan: `field` as for one; dt and time do not count.
typedef struct padic_field_energy_desc {
    padic_field_plan_desc field;
    padic_tensor psi;
    padic_field_record *report; // of each field of the batch
} padic_field_energy_desc;
PADIC_API padic_result padic_field_energy(padic_context *context,
                                          const padic_field_energy_desc *desc);

typedef struct padic_field_step_report {
    uint64_t steps;   // done in each field; fewer where a record ended the call
    uint64_t records; // written, or due where there is no room for them
    double time;      // of the plan after the call
} padic_field_step_report;

// Makes `count` steps of psi in place, and allocates nothing. Imaginary time holds each field's
// norm. Step numbers and the time go on from call to call; `restart` sets them to 0. Every
// `measure_every` steps a record is written: the k-th of a call in row k mod rows of `records`.
// Errors: DOMAIN (norm 0 or not finite in imaginary time, NaN or infinity with CHECK_FINITE: psi is
// unchanged; a record whose status is not FINE: psi is that record's), CANCELLED (whole steps were
// made of the first fields, none of the others).
typedef struct padic_field_step_desc {
    padic_field_plan *plan;
    padic_tensor psi;
    uint64_t count;
    uint32_t restart;
    padic_tensor records; // F64 (rows, PADIC_FIELD_COLUMNS), with a batch (rows, batch, ...),
                          // dense; may be left out
    padic_field_step_report *report;
} padic_field_step_desc;
PADIC_API padic_result padic_field_step(padic_context *context, const padic_field_step_desc *desc);

// Measures psi with the plan's operators; `report` gets a record of each field of the batch.
typedef struct padic_field_measure_desc {
    padic_field_plan *plan;
    padic_tensor psi;
    padic_field_record *report;
} padic_field_measure_desc;
PADIC_API padic_result padic_field_measure(padic_context *context,
                                           const padic_field_measure_desc *desc);

// out = H psi, or -K Lap psi alone, with the plan's operators; `out` has the view of psi, in memory
// of its own.
typedef struct padic_field_hamiltonian_desc {
    padic_field_plan *plan;
    padic_tensor psi, out;
    uint32_t kinetic_only;
} padic_field_hamiltonian_desc;
PADIC_API padic_result padic_field_hamiltonian(padic_context *context,
                                               const padic_field_hamiltonian_desc *desc);

//     CG     conjugate gradients on the sphere of the norm, preconditioned by (a + U)^-1/2
//            (a - K Lap)^-1 (a + U)^-1/2 (Antoine, Levitt, Tang, J. Comput. Phys. 343 (2017) 92)
//     FLOW   a semi-implicit gradient flow; its fixed point is exact
//     SPLIT  imaginary time steps; the result is off by O(dt^2)
typedef enum padic_field_ground_method {
    PADIC_FIELD_GROUND_CG = 0,
    PADIC_FIELD_GROUND_FLOW = 1,
    PADIC_FIELD_GROUND_SPLIT = 2
} padic_field_ground_method;

typedef struct padic_field_ground_report {
    uint64_t iterations;
    double residual; // ||H psi - mu psi|| / ||psi||
    double energy, mu, norm;
} padic_field_ground_report;

// The state of lowest energy that psi leads to, of psi's norm; a winding of psi is kept. The time
// and the absorber of the plan do not count. The host finds it in f64. Devices find states of psi
// in a buffer by CG and FLOW in psi's precision, sums in f64 or two words of f32, where the plan's
// method has transforms and the tolerance is above 1.5 e K sum_a (pi / h_a)^2, e as above: the
// residual that rounding leaves is about two thirds of that. There the host asks whether fields
// have ended once in 4 iterations, of FLOW in 32, and nothing else; angles go down by halves to an
// eighth, in the next iteration further, and one is taken whose energy is higher by up to 2^-22 of
// the size of its parts, with C128 1e-13. A search cannot be recorded.
// Errors: DOMAIN (norm 0 or not finite: psi is unchanged; the tolerance not reached, or a density
// above density_limit, that is, collapse: the best psi is kept).
typedef struct padic_field_ground_desc {
    padic_field_plan *plan;
    padic_tensor psi;
    padic_field_ground_method method;
    double tolerance;        // of the residual; 0: 1e-9, of C64 3e-5 max(1, |mu|)
    uint64_t max_iterations; // 0: 10,000
    double dt;               // of FLOW and SPLIT; 0: 1 and 0.01
    padic_tensor workspace;  // U8 of rank 1, padic_field_ground_workspace() bytes of host memory on
                             // 64 bytes; zero: from the allocator
    padic_field_ground_report *report; // of each field of the batch
} padic_field_ground_desc;
PADIC_API padic_result padic_field_ground(padic_context *context,
                                          const padic_field_ground_desc *desc);
// Returns the bytes of workspace of a search with this plan.
PADIC_API uint64_t padic_field_ground_workspace(const padic_field_plan *plan);
