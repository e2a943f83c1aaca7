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
// once. Errors: ARGUMENT, DTYPE, MISMATCH, OVERLAP, MEMORY, LIMIT; DOMAIN when u or w is not
// isometric within 1e-10 (F32, C64: 1e-4), unless UNCHECKED; NOT_FINITE, with nothing written: a
// tensor that is read has a NaN or an infinity, or a result would be beyond its dtype.
typedef enum padic_tensor_mera_kind {
    PADIC_TENSOR_BINARY = 0,
    PADIC_TENSOR_TERNARY = 1
} padic_tensor_mera_kind;
#define PADIC_TENSOR_UNCHECKED 1u

// What a function does not name, it does not use.
typedef struct padic_tensor_mera_desc {
    uint32_t kind, flags; // padic_tensor_mera_kind; UNCHECKED
    padic_tensor u, w;
    padic_tensor op, rho, out;
    double tolerance; // 0: 1e-12
    uint32_t steps;   // 0: as said there
    uint64_t seed;
    double *result; // optional, as said there
} padic_tensor_mera_desc;

// out (above) = A(op); op below.
PADIC_API padic_result padic_tensor_mera_ascend(padic_context *context,
                                                const padic_tensor_mera_desc *desc);
// out (below) = D(rho), rho above: the adjoint of A, tr(A(o) rho) = tr(o D(rho)).
PADIC_API padic_result padic_tensor_mera_descend(padic_context *context,
                                                 const padic_tensor_mera_desc *desc);
// result[0] + i result[1] = tr(rho op); of op and rho alone.
PADIC_API padic_result padic_tensor_mera_expect(padic_context *context,
                                                const padic_tensor_mera_desc *desc);
// out = D^n(1/d), f = c, until no entry changes by more than `tolerance`; at most `steps` (1000)
// times: DOMAIN, with the last one in out. result: the last change.
PADIC_API padic_result padic_tensor_mera_fixed_point(padic_context *context,
                                                     const padic_tensor_mera_desc *desc);
// result[0 .. n - 1]: |lambda|, the n largest eigenvalues of A, descending; result[n ...]: scaling
// dimensions -log_b |lambda|, b = 2 or 3, infinite for an eigenvalue of 0. n is `steps` (1 to 64),
// f = c. Block subspace iteration.
PADIC_API padic_result padic_tensor_mera_scaling(padic_context *context,
                                                 const padic_tensor_mera_desc *desc);
// d tr(A(op) rho)/d u (`steps` 0) or d w (1), the conjugates held: out has the shape of u or w.
PADIC_API padic_result padic_tensor_mera_environment(padic_context *context,
                                                     const padic_tensor_mera_desc *desc);
// u, then w, becomes what makes tr(A(op) rho) least with the rest held: op is shifted by its
// largest eigenvalue, environment E = U S V^dagger, tensor <- -conj(U V^dagger); `steps` (1) times.
// Writes u and w. result: tr(A(op) rho) before.
PADIC_API padic_result padic_tensor_mera_update(padic_context *context,
                                                const padic_tensor_mera_desc *desc);
// Haar distributed u and w from Philox, by `seed`.
PADIC_API padic_result padic_tensor_mera_random(padic_context *context,
                                                const padic_tensor_mera_desc *desc);
// result: the largest |u^dagger u - 1|, |w^dagger w - 1|.
PADIC_API padic_result padic_tensor_mera_check(padic_context *context,
                                               const padic_tensor_mera_desc *desc);
// The state of a ring: rho (c^n), a vector above the layer, n = `steps` sites (2 or more), to out
// (f^{2n}, ternary f^{3n}), at most 2^20 numbers. The first u joins sites 2 and 3 (ternary 3 and
// 4), the last one the end and the beginning.
PADIC_API padic_result padic_tensor_mera_state(padic_context *context,
                                               const padic_tensor_mera_desc *desc);
