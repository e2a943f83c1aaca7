#pragma once
#include "../context/state.h"
#include "../core/platform.h"

#ifndef PADIC_NO_NUM

PADICI_FN uint64_t padici_num_words(const padic_num_ring *ring, uint64_t count);

#define PADICI_NUM_TEMPS 60 // residues that an operation may use beside its operands
#define PADICI_NUM_CELLS 4  // the operands and the result of one element

PADICI_FN void *padici_num_take(char *base, uint64_t *at, uint64_t size);
PADICI_FN uint64_t padici_num_lay(padic_num_array *a, const padic_num_ring *ring,
                                  padic_num_model model, uint64_t count, char *base);

// Where the planes of a call lie. One in a device's memory gets an address that is none: the number
// of its memory in the highest byte, from 1, and the byte in it below, so that ranges compare and
// advance like host memory.
#define PADICI_NUM_PLANES 20 // of one call

typedef struct padici_num_space {
    padic_mem mem[PADICI_NUM_PLANES];
    uint32_t mems, host;
} padici_num_space;

PADICI_FN padic_result padici_space_pointer(padic_context *context, padici_num_space *space,
                                            const padic_tensor *t, uint64_t count, void **pointer);
PADICI_FN padic_result padici_num_plane_of(padic_context *context, padici_num_space *space,
                                           const padic_num_plane *plane, uint64_t count,
                                           uint32_t allowed, void **pointer);
PADICI_FN padic_result padici_num_plane_in(padic_context *context, padici_num_space *space,
                                           const padic_tensor *t, uint64_t count, uint32_t allowed,
                                           void **pointer);
PADICI_FN padic_result padici_num_plane(padic_context *context, const padic_tensor *t,
                                        uint64_t count, uint32_t allowed, void **pointer);
PADICI_FN padic_result padici_num_planes_in(padic_context *context, padici_num_space *space,
                                            const padic_num_array *a, padic_num_planes *planes);
PADICI_FN padic_result padici_num_planes_of(padic_context *context, const padic_num_array *a,
                                            padic_num_planes *planes);
PADICI_FN int padici_num_same_units(const padic_num_array *a, const padic_num_array *b);
PADICI_FN void padici_num_advance(const padic_num_ring *r, padic_num_planes *p, uint64_t first);

#endif
