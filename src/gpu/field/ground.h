#pragma once
#include "../../core/platform.h"
#include "plan.h"

#ifndef PADIC_NO_FIELD

enum { // of kernels/field/ground.cl
    PADICI_GPU_FIELD_FLOW_SLOPE = 1,
    PADICI_GPU_FIELD_FLOW_JUDGE,
    PADICI_GPU_FIELD_SEARCH_BEGIN,
    PADICI_GPU_FIELD_LOOK,
    PADICI_GPU_FIELD_JUDGE,
    PADICI_GPU_FIELD_BETA,
    PADICI_GPU_FIELD_SIZE,
    PADICI_GPU_FIELD_ANGLES,
    PADICI_GPU_FIELD_CHOOSE
};

enum { // numbers of a field in a search
    PADICI_GPU_FIELD_ITERATIONS = 7,
    PADICI_GPU_FIELD_WAITS = 29,
    PADICI_GPU_FIELD_PLACES = 32
};

// Arrays of a search: the gradient, the one before, the step, the direction, L of that.
#define PADICI_GPU_FIELD_SEARCH_ARRAYS 5

// A search for ground states of all fields, or steps of the flow. `l`: -K Lap psi, or L of it.
typedef struct padici_gpu_field_search {
    padici_gpu_field *x;
    padic_mem l, state, array[PADICI_GPU_FIELD_SEARCH_ARRAYS];
    padici_gpu_block block[PADICI_GPU_FIELD_SEARCH_ARRAYS + 1];
    uint32_t blocks, places, skip; // skip: flags of the fields that the next launches pass over
    uint32_t now;                  // which of the first two arrays is the gradient
    double goal, limit, time;      // time: 1 / dt of the flow
    uint32_t relative;
} padici_gpu_field_search;

// A launch over all points, or of what decides after one.
typedef struct padici_gpu_field_look_at {
    uint32_t kernel, what, adds, count;
    padic_mem mem[8];
} padici_gpu_field_look_at;

PADICI_FN void padici_gpu_field_search_of(padici_gpu_field_search *s, padici_gpu_field *x);
PADICI_FN padic_result padici_gpu_field_need_ground(const padici_gpu_field *x, int conjugate);
PADICI_FN padic_result padici_gpu_field_pass_over(const padici_gpu_field_search *s,
                                                  const padici_gpu_field_look_at *at);
PADICI_FN padic_result padici_gpu_field_decide(const padici_gpu_field_search *s, uint32_t what,
                                               uint32_t sums, uint32_t largest);
PADICI_FN padic_result padici_gpu_field_through(const padici_gpu_field_search *s, padic_mem array,
                                                uint32_t middle);
PADICI_FN padic_result padici_gpu_field_applied(const padici_gpu_field_search *s,
                                                const padic_mem *from, padic_mem to);
PADICI_FN padic_result padici_gpu_field_flow(const padici_gpu_field_search *s, uint32_t judges);

#endif
