#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "array.h"

#ifndef PADIC_NO_NUM

// Where the planes of a sparse matrix lie. One in a device's memory gets an address that is none: the number
// of its memory in the highest byte, from 1, and the byte in it below.
#define PADICI_NUM_PLANES 20 // of one call

typedef struct padici_num_space {
    padic_mem mem[PADICI_NUM_PLANES];
    uint32_t mems, host;
} padici_num_space;

PADICI_FN padic_result padici_space_pointer(padic_context *context, padici_num_space *space,
                                            const padic_tensor *t, uint64_t count, void **pointer);
PADICI_FN padic_result padici_num_plane_in(padic_context *context, padici_num_space *space,
                                           const padic_tensor *t, uint64_t count, uint32_t allowed,
                                           void **pointer);
PADICI_FN padic_result padici_num_planes_in(padic_context *context, padici_num_space *space,
                                            const padic_num_array *a, padic_num_planes *planes);

#endif
