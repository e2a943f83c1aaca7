#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_TENSOR

// A state by its axes, cut in two: where the `size` places of each side lie.
typedef struct padici_tensor_cut {
    padic_tensor tensor;
    uint32_t axes;
    uint64_t extent[64];
    int64_t step[64];
    uint64_t size[2]; // sides, the shorter one first
    uint32_t shorter; // 1: that of the axes in `part`
    int64_t *at[2];
    double *p; // the shorter side's p_i, descending
    double *space;
    const padic_allocator *allocator;
    const char *fault; // after an error
    char *memory;
    size_t bytes;
} padici_tensor_cut;

PADICI_FN padic_result padici_tensor_cut_fail(padici_tensor_cut *cut, padic_result result,
                                              const char *sentence);
PADICI_FN void padici_tensor_cut_end(padici_tensor_cut *cut);
PADICI_FN padic_result padici_tensor_cut_axes(padici_tensor_cut *cut, const padic_tensor *state,
                                              uint64_t dims_count, const uint64_t *dims);
PADICI_FN void padici_tensor_cut_places(const padici_tensor_cut *cut, uint64_t part, int64_t *at);
PADICI_FN padic_result padici_tensor_cut_sizes(padici_tensor_cut *cut, uint64_t part);
PADICI_FN padic_result padici_tensor_cut_normalise(padici_tensor_cut *cut, double drop,
                                                   uint64_t *rank);
PADICI_FN padic_result padici_tensor_cut_run(padici_tensor_cut *cut, uint64_t part, double drop,
                                             uint64_t *rank);
PADICI_FN padic_result padici_tensor_cut_run_rho(padici_tensor_cut *cut, double drop,
                                                 uint64_t *rank);

#endif
