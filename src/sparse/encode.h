#pragma once
#include "../context/state.h"
#include "../core/platform.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN PADICI_NOINLINE padic_result padici_sparse_count(padic_context *context, const char *name,
                                           const padic_sparse_count_desc *desc,
                                           const uint64_t *limit, padic_sparse_csr *a,
                                           padic_sparse_encode_report *report);

#endif
