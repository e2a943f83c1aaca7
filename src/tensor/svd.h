#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN void padici_tensor_z_sort(uint64_t n, double *values, int ascending, uint64_t m,
                                    double *x, uint64_t k, double *y);
PADICI_FN void padici_tensor_z_sign(uint64_t m, double *x, uint64_t n, double *y);
PADICI_FN int padici_tensor_z_svd(uint64_t m, uint64_t n, double *w, double *s, double *v,
                                  double *work, int single);

#endif
