#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_FIELD

// Numbers of kernels are of their precision: real ones, or complex ones as pairs. A block is one of
// src/fft/kernels.h.

// Angles of neighbouring points of a row: -time (trap + potential), in f32 modulo 2 pi.
typedef struct padici_field_angle_row {
    const double *trap, *potential; // potential NULL: none
    double time;
    uint64_t count;
    void *out;
} padici_field_angle_row;

// psi e^(i a), a = base + angle + sum_j scale_j rho^.., of neighbouring points of a row, or of the
// elements of a block, for each of which there is an angle, and a base for each lane.
typedef struct padici_field_phase_row {
    void *psi;
    const void *angle;
    const void *base; // of a row one
    double scale[PADIC_FIELD_TERMS];
    uint64_t count;
    uint32_t terms, power[PADIC_FIELD_TERMS]; // of rho: 0 its root, 1 itself, 2 its square
    uint32_t swapped;                         // the parts of a block change places
} padici_field_phase_row;

// psi turn k, of a factor that is one for all, and one for each point of a row. Of a block the
// factor is one for each lane, and the parts change places.
typedef struct padici_field_drift_row {
    void *psi;
    const void *k, *turn;
    uint64_t count;
} padici_field_drift_row;

// phase() returns how many points or elements, from the first on, are done: fewer where an angle is
// too large for it.
typedef struct padici_field_kernels {
    uint32_t is_double;
    void (*angles)(const padici_field_angle_row *row);
    uint64_t (*phase)(const padici_field_phase_row *row);
    uint64_t (*phase_block)(const padici_field_phase_row *row);
    void (*drift)(const padici_field_drift_row *row);
    void (*drift_block)(const padici_field_drift_row *row);
} padici_field_kernels;

// What the backends are asked for by the row FIELD_KERNELS: NULL stays, or there are some.
typedef struct padici_field_choice {
    uint32_t is_double;
    const padici_field_kernels *kernels;
} padici_field_choice;

#endif
