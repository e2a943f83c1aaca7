#pragma once
#include "../context/state.h"
#include "../core/platform.h"

#ifndef PADIC_NO_NUM

PADICI_FN uint64_t padici_num_words(const padic_num_ring *ring, uint64_t count);

#define PADICI_NUM_TEMPS 60 // residues that an operation may use besides its operands
#define PADICI_NUM_CELLS 4  // the operands and the result of one element

PADICI_FN void *padici_num_take(char *base, uint64_t *at, uint64_t size);
PADICI_FN uint64_t padici_num_lay(padic_num_array *a, const padic_num_ring *ring,
                                  padic_num_model model, uint64_t count, char *base);

// A range of memory that a call reads or writes, in host memory or in a device's.
typedef struct padici_num_range {
    uint64_t begin, end; // host addresses, or bytes of `mem`
    padic_mem mem;       // 0: host memory
    void **pointer;      // in the call, set when a copy of the range is used; or NULL
    uint32_t kind;       // planes of the same kind may be the same range; 0: never
    uint32_t out;        // 1 written, 2 read and written
} padici_num_range;

#define PADICI_NUM_RANGES 20 // per call

typedef struct padici_num_memory {
    uint32_t count, host, device; // ranges; how many of them lie on the host, on a device
    padici_num_range range[PADICI_NUM_RANGES];
} padici_num_memory;

PADICI_FN void padici_num_range_add(padici_num_range *list, uint32_t *n, const void *p,
                                    uint64_t bytes, uint32_t kind, uint32_t out);
PADICI_FN void padici_num_ranges(const padic_num_ring *r, const padic_num_planes *p, uint64_t count,
                                 uint32_t out, padici_num_range *list, uint32_t *n);
PADICI_FN PADICI_NOINLINE padic_result padici_num_overlap(const padici_num_range *list, uint32_t n);
PADICI_FN void padici_num_host(padici_num_memory *memory, const void *p, uint64_t bytes,
                               uint32_t out);
PADICI_FN padic_result padici_num_plane_add(padic_context *context, padici_num_memory *memory,
                                            const padic_num_plane *plane, uint64_t count,
                                            uint32_t allowed, uint32_t kind, uint32_t out,
                                            void **pointer);
PADICI_FN padic_result padici_num_tensor_add(padic_context *context, padici_num_memory *memory,
                                             const padic_tensor *t, uint64_t count,
                                             uint32_t allowed, uint32_t out, void **pointer);
PADICI_FN padic_result padici_num_planes_add(padic_context *context, padici_num_memory *memory,
                                             const padic_num_array *a, uint32_t out,
                                             padic_num_planes *planes);
PADICI_FN padic_result padici_num_plane(padic_context *context, const padic_tensor *t,
                                        uint64_t count, uint32_t allowed, void **pointer);
PADICI_FN padic_result padici_num_planes_of(padic_context *context, const padic_num_array *a,
                                            padic_num_planes *planes);
PADICI_FN int padici_num_same_units(const padic_num_array *a, const padic_num_array *b);
PADICI_FN void padici_num_advance(const padic_num_ring *r, padic_num_planes *p, uint64_t first);

#endif
