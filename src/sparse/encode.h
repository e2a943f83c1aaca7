#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "source.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN padic_result padici_sparse_count(padic_context *context, padici_sparse_source *s,
                                           const padic_sparse_encode_desc *desc,
                                           const padic_tensor *row_ptr, padic_sparse_csr *a,
                                           padic_sparse_encode_report *report, int wanted);

#endif
