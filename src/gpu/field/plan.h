#pragma once
#include "../../core/platform.h"
#include "../../field/calls.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_FIELD

// Where tables lie, in reals. Axes as the plan has them, the last the fastest.
typedef struct padici_gpu_field_layout {
    uint32_t roots[3], turn[2][3], trap[3], terms;
    uint32_t inverse[3], column[3]; // of CAYLEY2
    uint32_t k[3], slope[3], place[3], none; // of rotation: Omega y, -Omega x; zeros for any axis
    uint32_t x[3], modes[3];        // of records: places; K k^2 over the number of points
    uint32_t stop;                  // a flag for each field
    uint32_t rest, shift;           // of searches: another one, and a
    uint32_t potential, absorber;   // 0: none
    uint64_t size;
} padici_gpu_field_layout;

// Fields in a device's memory: numbers of complex numbers, of planar ones numbers of reals.
typedef struct padici_gpu_field_place {
    padic_mem mem;
    uint32_t base, imaginary, step[3], field, planar;
} padici_gpu_field_place;

typedef struct padici_gpu_field {
    padici_gpu *gpu;
    padic_field_plan *plan;
    const padici_field_rules *rules;
    padici_gpu_field_layout at;
    padici_gpu_field_place psi;
    uint32_t axes, axis[3]; // those with more than one point, the last the fastest; at least one
    uint32_t powers; // 1: others than p = 4 and 6
    uint32_t copies; // 1: the plan is to have a copy of psi
    uint32_t copied; // 1: psi is a copy
    uint32_t stops;  // 1: steps obey the flags
} padici_gpu_field;

PADICI_FN uint32_t padici_gpu_field_powers(const padici_gpu_field *x);
PADICI_FN int padici_gpu_field_reach(const padici_gpu_field *x, const padici_operand *o,
                                     padici_gpu_field_place *place);
PADICI_FN void padici_gpu_field_beside(const padici_field_rules *rules, uint32_t a, double b[2]);
PADICI_FN int padici_gpu_field_begin(padici_gpu_field *x, padici_gpu *gpu, padic_field_plan *plan,
                                     const padici_operand *psi);
PADICI_FN padic_result padici_gpu_field_ready(padici_gpu_field *x);

#endif
