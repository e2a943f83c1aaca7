#pragma once
#include "../context/state.h"
#include "../core/platform.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN padic_result padici_sparse_col(padic_context *context, const padic_sparse_col_desc *desc);

#endif
