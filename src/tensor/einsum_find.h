#pragma once
#include "../core/platform.h"
#include "einsum_expression.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN padic_result padici_tensor_einsum_take(padici_tensor_einsum *e, padic_tensor_path *path);
PADICI_FN padic_result padici_tensor_einsum_find(padici_tensor_einsum *e,
                                                 const padic_allocator *allocator,
                                                 padic_tensor_path *path);

#endif
