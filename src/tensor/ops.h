#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN const char *padici_tensor_entropy_give(const padic_tensor_entropy_desc *desc,
                                                 const double *p, uint64_t rank);

#endif
