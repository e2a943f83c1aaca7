#pragma once
#include "../../core/platform.h"
#include "../../field/calls.h"
#include "ground.h"
#include "plan.h"
#include "points.h"

#ifndef PADIC_NO_FIELD

// A call in progress: steps of all fields.
typedef struct padici_gpu_field_steps {
    padici_gpu_field x;
    padici_field_step_call *call;
    const padici_operand *records;
    padici_gpu_field_arrays arrays;
    padici_gpu_field_search flow;
    double owed;     // half a phase, or half a step of LEAPFROG2's imaginary parts, to be done
    uint32_t behind; // before that, a phase of k^2 along an axis: 1 + which
    uint32_t along;  // that axis
} padici_gpu_field_steps;

PADICI_FN int padici_gpu_field_cayley_fit(const padici_gpu_field *x);
PADICI_FN padic_result padici_gpu_field_need_cayley(const padici_gpu_field *x);
PADICI_FN padic_result padici_gpu_field_cayley(padici_gpu_field_steps *s,
                                               const padici_gpu_field_place *place);
PADICI_FN padic_result padici_gpu_field_each(padici_gpu_field_steps *s, uint32_t kernel,
                                             double time, uint32_t part);
PADICI_FN padic_result padici_gpu_field_drift(padici_gpu_field_steps *s, double time);
PADICI_FN padic_result padici_gpu_field_cool_begin(padici_gpu_field *x);
PADICI_FN padic_result padici_gpu_field_cool(padici_gpu_field_steps *s);
PADICI_FN int padici_gpu_field_explicit(const padici_gpu_field *x);
PADICI_FN padic_result padici_gpu_field_need_explicit(const padici_gpu_field *x);
PADICI_FN padic_result padici_gpu_field_explicit_step(padici_gpu_field_steps *s);
PADICI_FN padic_result padici_gpu_field_explicit_settle(padici_gpu_field_steps *s);
PADICI_FN padic_result padici_gpu_field_noise(padici_gpu_field_steps *s);

#endif
