#pragma once
// -------------------------------------------------------------------------------- >>legacy API
//
// The two operations of a condensate code that this area replaces, for comparison only:
//
//     V    = sum |D phi|^2 + (m2/2) sum |phi|^2 + (lambda/d!) sum |phi|^d
//     phi' = phi - i dt (-Lap phi + m2 phi + lambda |phi|^(d-2) phi)
//
// D is the central difference over two steps, one-sided at the ends (0 along an axis of one point),
// Lap the sum of the neighbours less 2 phi along each axis, periodic; the spacing is 1.
//
// The step is forward Euler: the norm of a mode of energy e grows by 1 + dt^2 e^2 in each step, for
// every dt: UNSTABLE BY CONSTRUCTION, and the first use of a context logs it. Nor does the energy
// belong to the step: its variation has m2/2 and lambda/(2 (d-1)!), another Laplacian, and gives
// the shortest wave no kinetic energy. d = 3 is |phi| phi, not Gross-Pitaevskii. The consistent
// twin is a plan with kinetic = 1, potential m2, power {lambda, d}, spacing 1, RK4 or SPLIT2.
//
// Computed in F64; of C64 the step is rounded once. With vectors C64 is computed in F32: the step
// within 1e-6 of the largest |phi| times 1 + |dt| (12 + |m2| + |lambda| |phi|^(d-2)), the sums
// within 2e-6 of themselves, the kinetic one within 2e-6 of the norm, too. D1, D2. NaN and
// infinities spread. Errors: ARGUMENT (NULL, mass_squared or lambda not finite, dt 0 or not finite,
// power), DTYPE, MISMATCH (rank, shapes), OVERLAP.
typedef struct padic_field_legacy_energy_report {
    double energy;      // V
    double kinetic;     // sum |D phi|^2
    double norm;        // sum |phi|^2
    double interaction; // sum |phi|^d
} padic_field_legacy_energy_report;

typedef struct padic_field_legacy_energy_desc {
    padic_tensor phi; // C64 or C128, of rank 1 to 3, any strides
    double mass_squared, lambda; // m2
    uint32_t power; // d, 3 to 20; 0: 3
    padic_field_legacy_energy_report *report; // not optional
} padic_field_legacy_energy_desc;
PADIC_API padic_result padic_field_legacy_energy(padic_context *context,
                                                 const padic_field_legacy_energy_desc *desc);

typedef struct padic_field_legacy_euler_desc {
    padic_tensor phi, out; // of one shape and dtype, as above; out: phi'
    double mass_squared, lambda; // m2
    uint32_t power;        // d, 3 to 20; 0: 3
    double dt;
} padic_field_legacy_euler_desc;
PADIC_API padic_result padic_field_legacy_euler(padic_context *context,
                                                const padic_field_legacy_euler_desc *desc);
