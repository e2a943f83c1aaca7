#pragma once
#include "../context/state.h"
#include "../core/platform.h"

#ifndef PADIC_NO_NUM

// Working memory of one call.
typedef struct padici_num_workspace {
    void *at;
    uint64_t size; // bytes
    const padic_allocator *allocator; // not NULL: the memory must be freed
    size_t owned;  // bytes to free
} padici_num_workspace;

PADICI_FN padic_result padici_num_workspace_check(padic_context *context, const padic_tensor *given,
                                                  uint64_t need);
PADICI_FN padic_result padici_num_workspace_take(padic_context *context, const padic_tensor *given,
                                                 uint64_t wanted, padici_num_workspace *w);
PADICI_FN void padici_num_workspace_give(padici_num_workspace *w);

#endif
