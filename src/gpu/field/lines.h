#pragma once
#include "../../core/platform.h"
#include "plan.h"

#ifndef PADIC_NO_FIELD

enum { // of kernels/field/element.cl
    PADICI_GPU_FIELD_ORDERED = 1,
    PADICI_GPU_FIELD_DECAYS = 2
};

enum {
    PADICI_GPU_FIELD_NONE,
    PADICI_GPU_FIELD_FORWARD,
    PADICI_GPU_FIELD_INVERSE
};

enum {
    PADICI_GPU_FIELD_NOTHING,
    PADICI_GPU_FIELD_PHASE,
    PADICI_GPU_FIELD_SWIRL,
    PADICI_GPU_FIELD_MODES, // these of plans with records
    PADICI_GPU_FIELD_RATES,
    PADICI_GPU_FIELD_SMOOTH
};

// One way over all fields, by lines along an axis.
typedef struct padici_gpu_field_pass {
    uint32_t axis, first, middle, second;
    uint32_t before, after; // the phase of the axis's k^2, 1 + which: then without first and second
    double time;            // of PHASE, SWIRL
    const padici_gpu_field_place *to; // NULL: in place
    uint32_t stays; // 1: psi stays in its own place, `to` has it transformed along the axis
} padici_gpu_field_pass;

PADICI_FN uint32_t padici_gpu_field_side(uint32_t axis, uint32_t *third);
PADICI_FN int padici_gpu_field_lengths(const padici_gpu_field *x);
PADICI_FN int padici_gpu_field_leaves(const padici_gpu_field *x, uint32_t axis);
PADICI_FN padic_result padici_gpu_field_need_lines(const padici_gpu_field *x, uint32_t copies);
PADICI_FN padic_result padici_gpu_field_lines(padici_gpu_field *x,
                                              const padici_gpu_field_pass *pass);
PADICI_FN padic_result padici_gpu_field_along(padici_gpu_field *x, uint32_t axis, uint32_t first,
                                              uint32_t middle, uint32_t second, double time);

#endif
