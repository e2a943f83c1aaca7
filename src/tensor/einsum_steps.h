#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "einsum_expression.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN padic_result padici_tensor_einsum_run(padici_tensor_einsum *e, padic_context *context,
                                                const padic_tensor_path *path,
                                                const padic_tensor *workspace);

#endif
