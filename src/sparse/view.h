#pragma once
#include "../context/state.h"
#include "../core/platform.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN padic_result padici_sparse_row_host(padic_context *context, const padic_sparse_csr *csr,
                                              uint64_t row, uint64_t *first, uint64_t *count);
PADICI_FN padic_result padici_sparse_get_host(padic_context *context, const padic_sparse_csr *csr,
                                              uint64_t row, uint64_t col, int64_t *entry);
PADICI_FN padic_result padici_sparse_col_host(padic_context *context,
                                              const padic_sparse_col_desc *desc);

#endif
