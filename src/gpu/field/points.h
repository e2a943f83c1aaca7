#pragma once
#include "../../core/platform.h"
#include "plan.h"

#ifndef PADIC_NO_FIELD

enum { // of kernels/field/points.cl
    PADICI_GPU_FIELD_BEGIN = 1,
    PADICI_GPU_FIELD_END = 2,
    PADICI_GPU_FIELD_IN = 4,
    PADICI_GPU_FIELD_OF = 8,
    PADICI_GPU_FIELD_OUT = 16
};

// Arrays of a call's own, dense, one complex number a point of all fields.
#define PADICI_GPU_FIELD_ARRAYS 3
typedef struct padici_gpu_field_arrays {
    padici_gpu_block block[PADICI_GPU_FIELD_ARRAYS];
    uint32_t count;
} padici_gpu_field_arrays;

#define PADICI_GPU_FIELD_DEFINES 5 // at most
PADICI_FN uint32_t padici_gpu_field_defines(const padici_gpu_field *x, const char **defines);
PADICI_FN int padici_gpu_field_points_fit(const padici_gpu_field *x);
PADICI_FN padic_result padici_gpu_field_need_points(const padici_gpu_field *x, uint32_t kernel);
PADICI_FN padic_result padici_gpu_field_arrays_begin(const padici_gpu_field *x, uint32_t count,
                                                     padici_gpu_field_arrays *arrays);
PADICI_FN void padici_gpu_field_arrays_end(const padici_gpu_field *x,
                                           padici_gpu_field_arrays *arrays);

PADICI_FN padici_gpu_field_place padici_gpu_field_array(const padici_gpu_field *x,
                                                        const padici_gpu_field_arrays *arrays,
                                                        uint32_t i);

// One way over all points. The neighbours are those of psi, or of an array.
typedef struct padici_gpu_field_sweep {
    uint32_t kernel, flags, part;
    double time, add;
    padic_mem mem[5]; // of the kernel's buffers
    uint32_t mem_count, of_array; // of_array: the neighbours
} padici_gpu_field_sweep;

PADICI_FN padic_result padici_gpu_field_points(const padici_gpu_field *x,
                                               const padici_gpu_field_sweep *sweep);

#endif
