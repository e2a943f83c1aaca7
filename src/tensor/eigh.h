#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN int padici_tensor_z_eigh(uint64_t n, double *a, double *values, double *v, double *work);

#endif
