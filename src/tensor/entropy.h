#pragma once
#include "../core/platform.h"
#include "schmidt.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN void padici_tensor_entropy_write(const padic_tensor_entropy_desc *desc, const double *p,
                                           uint64_t n);
PADICI_FN double padici_tensor_entropy_drop(const padic_tensor_entropy_desc *desc,
                                            padic_dtype dtype);
PADICI_FN padic_result padici_tensor_entropy_of(const padic_tensor_entropy_desc *desc,
                                                padici_tensor_cut *cut);

#endif
