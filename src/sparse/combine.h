#pragma once
#include "../context/state.h"
#include "../core/platform.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN void padici_sparse_like(padic_sparse_csr *next, const padic_sparse_csr *out,
                                  const padic_sparse_csr *a);
PADICI_FN PADICI_NOINLINE padic_result padici_sparse_transpose(padic_context *context,
                                                               padic_sparse_csr *out,
                                                               const padic_sparse_csr *a);
PADICI_FN padic_result padici_sparse_add(padic_context *context, const padic_sparse_add_desc *desc);
PADICI_FN padic_result padici_sparse_scale(padic_context *context,
                                           const padic_sparse_scale_desc *desc);

#endif
