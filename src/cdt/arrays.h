#pragma once
#include "../core/platform.h"
#include "../context/view_task.h"

#ifndef PADIC_NO_CDT

// Arrays and working memory of calls.

typedef struct padici_cdt_scratch {
    void *memory;
    uint64_t size;
    uint32_t own; // from the allocator
} padici_cdt_scratch;

PADICI_FN padic_result padici_cdt_no_desc(padic_context *context, const char *operation);
PADICI_FN padic_result padici_cdt_array_check(padic_context *context, const char *field,
                                              const padic_tensor *t, padic_dtype dtype,
                                              uint32_t rank, const uint64_t *shape);
PADICI_FN padic_result padici_cdt_views_apart(padici_view_task *task);
PADICI_FN padic_result padici_cdt_state_check(padic_context *context, const padic_tensor *t,
                                              uint64_t bytes);
PADICI_FN padic_result padici_cdt_scratch_take(padic_context *context, const padic_tensor *t,
                                               uint64_t bytes, padici_cdt_scratch *scratch);
PADICI_FN void padici_cdt_scratch_give(padic_context *context, padici_cdt_scratch *scratch);

#endif
