#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_FIELD

// psi e^(-i time U) of neighbouring points of a row, U = base + trap + potential + sum_j g_j rho^..
typedef struct padici_field_phase_row {
    double *psi;
    const double *trap, *potential; // potential NULL: none
    double base, time, g[PADIC_FIELD_TERMS];
    uint64_t count;
    uint32_t terms, power[PADIC_FIELD_TERMS]; // of rho: 0 its root, 1 itself, 2 its square
} padici_field_phase_row;

// psi turn k, of a factor that is one for all, and a complex one for each point.
typedef struct padici_field_drift_row {
    double *psi;
    const double *k;
    double turn[2];
    uint64_t count;
} padici_field_drift_row;

// Return how many points, from the first on, are done; the bytes are those of the plain loops.
typedef struct padici_field_kernels {
    uint64_t (*phase)(const padici_field_phase_row *row);
    uint64_t (*drift)(const padici_field_drift_row *row);
} padici_field_kernels;

// What the backends are asked for by the row FIELD_KERNELS: NULL stays, or there are some.
typedef struct padici_field_choice {
    const padici_field_kernels *kernels;
} padici_field_choice;

#endif
