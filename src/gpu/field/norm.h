#pragma once
#include "../../core/platform.h"
#include "plan.h"

#ifndef PADIC_NO_FIELD

// Norms of fields, which stay on the device: numbers of each field in the plan's `state`. They are
// sums of |psi|^2, without the volume of a cell.

enum { // numbers of a field
    PADICI_GPU_FIELD_HELD = 0, // the norm that psi is to have
    PADICI_GPU_FIELD_NOW = 1,  // the norm that it has
    PADICI_GPU_FIELD_COUNT = 2, // of parts that are not finite
    PADICI_GPU_FIELD_ENDED = 4,  // 1 + the record that ended its steps, and the status of that
    PADICI_GPU_FIELD_STATUS = 5,
    PADICI_GPU_FIELD_STATE = 8, // numbers of a field
    PADICI_GPU_FIELD_SUMS = 14,  // numbers of a group
    PADICI_GPU_FIELD_STATES = 16 // fields whose numbers are fetched at once
};

enum { // of kernels/field/measure.cl
    PADICI_GPU_FIELD_DENSITY = 0,
    PADICI_GPU_FIELD_INFINITE = 1
};

PADICI_FN uint32_t padici_gpu_field_words(const padici_gpu_field *x, const char **defines);
PADICI_FN padic_result padici_gpu_field_launch(padici_gpu_field *x, uint32_t kernel,
                                               const padic_mem *mem, uint32_t count,
                                               uint64_t groups, const void *params, uint32_t size);
PADICI_FN uint64_t padici_gpu_field_shares(uint64_t points, uint64_t *each);
PADICI_FN padic_result padici_gpu_field_need_norm(const padici_gpu_field *x);
PADICI_FN padic_result padici_gpu_field_norm(padici_gpu_field *x,
                                             const padici_gpu_field_place *psi, uint32_t what,
                                             uint32_t slot);
PADICI_FN padic_result padici_gpu_field_total(padici_gpu_field *x, uint32_t slot);
PADICI_FN double padici_gpu_field_value(const padici_gpu *gpu, const uint32_t words[2]);
PADICI_FN padic_result padici_gpu_field_rescale(padici_gpu_field *x,
                                                const padici_gpu_field_place *psi, uint32_t ended);
PADICI_FN padic_result padici_gpu_field_states(padici_gpu_field *x, uint64_t first,
                                               uint32_t count,
                                               double state[][PADICI_GPU_FIELD_STATE]);
PADICI_FN padic_result padici_gpu_field_finite(padici_gpu_field *x);

#endif
