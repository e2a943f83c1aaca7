#pragma once
// ------------------------------------------------------------------------------------- >>mera API
//
// One layer of a binary or ternary MERA (Vidal cond-mat/0512165, quant-ph/0610099; Evenbly and
// Vidal 0707.1454). u (f, f, f, f): fine legs, then coarse ones, a unitary that straddles two
// blocks. w (f, f, c), ternary (f, f, f, c): an isometry, fine legs first. Sites count from the
// left, the leftmost most significant.
//
//     binary   V = (1 u_23 u_45 1)(w_12 w_34 w_56), 3 coarse -> 6 fine sites
//              A(o) = 1/2 V^dagger (o_234 + o_345) V
//     ternary  V = (1 1 u_34 1 1)(w_123 w_456), 2 coarse -> 6 fine sites
//              A(o) = 1/3 V^dagger (o_23 + o_34 + o_45) V
//
// Operators and density matrices act on 3 sites (ternary: 2): (d, d) with d = f^3 below, c^3 above
// a layer. All tensors are of one dtype, F32, F64, C64 or C128, in host memory, of any strides; the
// work is done in C128 by padic_tensor_contract(), at a cost of chi^9 (ternary chi^8), and rounded
// once. Errors: ARGUMENT, DTYPE, MISMATCH, OVERLAP, MEMORY, LIMIT, TOLERANCE (negative,
// NaN); DOMAIN when u or w is not isometric within 1e-10 (F32, C64: 1e-4), unless UNCHECKED;
// NOT_FINITE, with nothing written: a tensor that is read has a NaN or an infinity, or a result
// would be beyond its dtype.
typedef enum padic_tensor_mera_kind {
    PADIC_TENSOR_MERA_BINARY = 0,
    PADIC_TENSOR_MERA_TERNARY = 1
} padic_tensor_mera_kind;
#define PADIC_TENSOR_MERA_UNCHECKED 1u

typedef struct padic_tensor_mera_layer {
    padic_tensor_mera_kind kind;
    uint32_t flags;    // UNCHECKED
    padic_tensor u, w; // written by _update() and _random() only
} padic_tensor_mera_layer;

// out = A(op).
typedef struct padic_tensor_mera_ascend_desc {
    padic_tensor_mera_layer layer;
    padic_tensor op;  // below the layer
    padic_tensor out; // above it
} padic_tensor_mera_ascend_desc;
PADIC_API padic_result padic_tensor_mera_ascend(padic_context *context,
                                                const padic_tensor_mera_ascend_desc *desc);

// out = D(rho), the adjoint of A: tr(A(o) rho) = tr(o D(rho)).
typedef struct padic_tensor_mera_descend_desc {
    padic_tensor_mera_layer layer;
    padic_tensor rho; // above the layer
    padic_tensor out; // below it
} padic_tensor_mera_descend_desc;
PADIC_API padic_result padic_tensor_mera_descend(padic_context *context,
                                                 const padic_tensor_mera_descend_desc *desc);

// tr(rho op), of square matrices of any one size.
typedef struct padic_tensor_mera_expect_report {
    double re, im;
} padic_tensor_mera_expect_report;

typedef struct padic_tensor_mera_expect_desc {
    padic_tensor op, rho;
    padic_tensor_mera_expect_report *report;
} padic_tensor_mera_expect_desc;
PADIC_API padic_result padic_tensor_mera_expect(padic_context *context,
                                                const padic_tensor_mera_expect_desc *desc);

// out = D^n(1/d), f = c, until no entry changes by more than `tolerance`. DOMAIN after `iterations`
// of them, with the last one in out and in the report. F32, C64, unless UNCHECKED: every D(rho) is
// divided by its trace, which u and w so rounded do not keep.
typedef struct padic_tensor_mera_fixed_point_report {
    double change; // the last one
} padic_tensor_mera_fixed_point_report;

typedef struct padic_tensor_mera_fixed_point_desc {
    padic_tensor_mera_layer layer;
    double tolerance;    // 0: 1e-12; F32, C64: 1e-5
    uint32_t iterations; // at most; 0: 1000
    padic_tensor out;
    padic_tensor_mera_fixed_point_report *report; // optional
} padic_tensor_mera_fixed_point_desc;
PADIC_API padic_result padic_tensor_mera_fixed_point(
    padic_context *context, const padic_tensor_mera_fixed_point_desc *desc);

// The n largest eigenvalues of A, f = c, by their absolute values |lambda|, descending, and the
// scaling dimensions -log_b |lambda|, b = 2 or 3, infinite for an eigenvalue of 0. Block subspace
// iteration from a random block, until no |lambda| changes by more than `tolerance`; DOMAIN after
// 500 steps, with what there is then.
typedef struct padic_tensor_mera_scaling_desc {
    padic_tensor_mera_layer layer;
    double tolerance; // 0: 1e-12
    uint64_t seed;
    padic_tensor eigenvalues; // (n), F64, n from 1 to 64
    padic_tensor dimensions;  // (n), F64; optional
} padic_tensor_mera_scaling_desc;
PADIC_API padic_result padic_tensor_mera_scaling(padic_context *context,
                                                 const padic_tensor_mera_scaling_desc *desc);

// d tr(A(op) rho)/d u, or d w, the conjugates held.
typedef enum padic_tensor_mera_part {
    PADIC_TENSOR_MERA_PART_U = 0,
    PADIC_TENSOR_MERA_PART_W = 1
} padic_tensor_mera_part;

typedef struct padic_tensor_mera_environment_desc {
    padic_tensor_mera_layer layer;
    padic_tensor op, rho; // below the layer; above it
    padic_tensor_mera_part part;
    padic_tensor out; // of the shape of u, or of w
} padic_tensor_mera_environment_desc;
PADIC_API padic_result padic_tensor_mera_environment(
    padic_context *context, const padic_tensor_mera_environment_desc *desc);

// u, then w, becomes what makes tr(A(op) rho) least with everything else held: op is shifted by its
// largest eigenvalue, environment E = U S V^dagger, tensor <- -conj(U V^dagger).
typedef struct padic_tensor_mera_update_report {
    double energy; // tr(A(op) rho) before
} padic_tensor_mera_update_report;

typedef struct padic_tensor_mera_update_desc {
    padic_tensor_mera_layer layer; // read and written
    padic_tensor op, rho;          // below the layer; above it
    uint32_t iterations;           // 0: 1
    padic_tensor_mera_update_report *report; // optional
} padic_tensor_mera_update_desc;
PADIC_API padic_result padic_tensor_mera_update(padic_context *context,
                                                const padic_tensor_mera_update_desc *desc);

// Haar distributed u and w from Philox.
typedef struct padic_tensor_mera_random_desc {
    padic_tensor_mera_layer layer; // written
    uint64_t seed;
} padic_tensor_mera_random_desc;
PADIC_API padic_result padic_tensor_mera_random(padic_context *context,
                                                const padic_tensor_mera_random_desc *desc);

// How far u and w are from isometries.
typedef struct padic_tensor_mera_check_report {
    double deviation; // the largest |u^dagger u - 1|, |w^dagger w - 1|
} padic_tensor_mera_check_report;

typedef struct padic_tensor_mera_check_desc {
    padic_tensor_mera_layer layer;
    padic_tensor_mera_check_report *report;
} padic_tensor_mera_check_desc;
PADIC_API padic_result padic_tensor_mera_check(padic_context *context,
                                               const padic_tensor_mera_check_desc *desc);

// The state of a ring of `sites` sites above the layer becomes that below it. ARGUMENT: fewer than
// 2 sites. LIMIT: more than 1,024 sites, or 2^20 numbers. The first u joins sites 2 and 3 (ternary
// 3 and 4), the last one the end and the beginning.
typedef struct padic_tensor_mera_state_desc {
    padic_tensor_mera_layer layer;
    uint32_t sites;     // n, above the layer
    padic_tensor state; // (c^n)
    padic_tensor out;   // (f^{2n}), ternary (f^{3n})
} padic_tensor_mera_state_desc;
PADIC_API padic_result padic_tensor_mera_state(padic_context *context,
                                               const padic_tensor_mera_state_desc *desc);
