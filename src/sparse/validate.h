#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "matrix.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN padic_result padici_sparse_ring(const padic_sparse_csr *a, padic_num_ring *ring);
PADICI_FN padic_result padici_sparse_check(const padic_sparse_csr *a, const padici_sparse *m,
                                           padic_sparse_level level, uint64_t *bad);
PADICI_FN padic_result padici_sparse_validate(padic_context *context, const padic_sparse_csr *csr,
                                              padic_sparse_level level, uint64_t *bad_row);

#endif
