#pragma once
// ----------------------------------------------------------------------------------- >>gft API
//
// Homogeneous condensates of group field theory (Gielen, Oriti, Sindoni: arXiv 1303.3576; Oriti,
// Sindoni, Wilson-Ewing: 1602.05881). In mean field the potential of s = |sigma| >= 0 is
//
//     V(s) = B s^2 + sum_j (2 g_j / p_j) s^p_j
//
// n = 5 is a simplicial interaction, n = 6 a tensorial one. The rank of the group field and the
// order of the interaction are different parameters.

// Finds the stationary points: 0, and where B + sum_j g_j s^(p_j - 2) = 0; of one term in closed
// form, else between the extrema of the sum, to rounding. At most three are positive (Descartes).
// Roots beyond F64 are left out. Computed on the host. Errors: ARGUMENT (NULL; mass, g or p not
// finite, p <= 2).
typedef struct padic_field_gft_point {
    double s, value;  // V(s)
    double curvature; // V''(s): above 0 in a minimum
} padic_field_gft_point;

typedef struct padic_field_gft_minimum_report {
    uint32_t count;                              // stationary points
    uint32_t minimum;                            // the lowest; UINT32_MAX: V has no lower bound
    padic_field_gft_point point[PADIC_FIELD_TERMS + 1]; // s ascending
} padic_field_gft_minimum_report;

typedef struct padic_field_gft_minimum_desc {
    double mass;                                 // B
    padic_field_term power[PADIC_FIELD_TERMS];
    padic_field_gft_minimum_report *report;
} padic_field_gft_minimum_desc;
PADIC_API padic_result padic_field_gft_minimum(padic_context *context,
                                               const padic_field_gft_minimum_desc *desc);

// Integrates J modes in relational time chi, in place:
//
//     A_j d^2 s_j/dchi^2 = B_j s_j + sum_k g_k |s_j|^(p_k - 2) s_j
//
// Both methods keep the charge Q_j to rounding; a mode with Q_j != 0 never reaches s = 0: the
// bounce. With m^2 = B/A and no terms, |s|^2 = -E/(2 m^2) + sqrt(E^2/(4 m^4) + Q^2/m^2)
// cosh(2 m (chi - chi_0)). D1, D2.
//
// Records are made of the start, and of each `every` steps: R = 1 + count / every, rounded down.
//
// Errors: ARGUMENT (dt 0 or not finite, unknown method, p <= 2), DTYPE, MISMATCH (shapes), DOMAIN
// (a kinetic of 0, kinetic or mass not finite). Modes that leave F64 become infinite or NaN.
typedef enum padic_field_gft_method {
    PADIC_FIELD_GFT_METHOD_VERLET = 0, // order 2
    PADIC_FIELD_GFT_METHOD_SUZUKI = 1  // order 4, of five Verlet steps
} padic_field_gft_method;

typedef struct padic_field_gft_evolve_report {
    uint64_t records;    // R
    double volume;       // at the end
    uint64_t not_finite; // modes
} padic_field_gft_evolve_report;

typedef struct padic_field_gft_evolve_desc {
    padic_tensor modes, rates; // C128 (J): s and ds/dchi; the start, then the end
    padic_tensor kinetic;      // A: F64 (J) or of rank 0; zero: 1
    padic_tensor mass;         // B: F64 (J) or of rank 0; zero: 0
    padic_tensor volumes;      // V: F64 (J) or of rank 0; zero: 1
    padic_field_term power[PADIC_FIELD_TERMS];
    padic_field_gft_method method;
    double dt;                 // step of chi, may be negative
    uint64_t count;            // steps
    uint64_t every;            // 0: count
    padic_tensor path, path_rates; // C128 (R, J), optional like all that follow: s, ds/dchi
    padic_tensor volume;           // F64 (R): sum_j V_j |s_j|^2
    padic_tensor charge;           // F64 (R, J): Q = Im(conj(s) ds/dchi)
    padic_tensor energy;           // F64 (R, J): |ds/dchi|^2 - (B/A) |s|^2 - sum 2 g/(p A) |s|^p
    padic_field_gft_evolve_report *report;
} padic_field_gft_evolve_desc;
PADIC_API padic_result padic_field_gft_evolve(padic_context *context,
                                              const padic_field_gft_evolve_desc *desc);
