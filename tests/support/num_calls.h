// Operations on numbers with their arguments in a row, as tests write them by the dozen.
#ifndef NUM_CALLS_H
#define NUM_CALLS_H

#include <stdlib.h>

// A workspace of exactly so many bytes, to be freed by num_workspace_end().
static inline padic_tensor num_workspace(uint64_t size)
{
    void *const memory = malloc((size_t)size + 1);
    if (!memory) abort();
    return padic_tensor_1d(PADIC_U8, memory, size);
}

static inline void num_workspace_end(padic_tensor *workspace)
{
    free(workspace->data);
    workspace->data = NULL;
}

static inline padic_result num_hadamard(padic_context *context, const padic_tensor *bits,
                                        const padic_tensor *matrix)
{
    padic_num_hadamard_desc desc = PADIC_ZERO;
    desc.out = *bits;
    desc.matrix = *matrix;
    return padic_num_hadamard(context, &desc);
}

static inline padic_result num_roots(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *in, uint64_t n)
{
    padic_num_roots_desc desc = PADIC_ZERO;
    desc.out = *out;
    desc.in = *in;
    desc.n = n;
    return padic_num_roots(context, &desc);
}

static inline padic_result num_ring_tables(padic_num_ring *ring, void *memory, uint64_t size)
{
    padic_num_ring_tables_desc desc = PADIC_ZERO;
    desc.ring = ring;
    desc.memory = padic_tensor_1d(PADIC_U8, memory, size);
    return padic_num_ring_tables(NULL, &desc);
}

#endif
