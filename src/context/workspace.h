#pragma once
#include "state.h"

// OK if the caller gave no working memory, or `bytes` of it at least: a dense U8 array in host
// memory, on a multiple of 64 bytes.
PADICI_FN padic_result padici_workspace_check(padic_context *context, const padic_tensor *t,
                                              uint64_t bytes);
