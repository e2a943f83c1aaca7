#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_TENSOR

#define PADICI_TENSOR_EPS 1.1102230246251565e-16 // 2^-53

#ifndef PADICI_TENSOR_SWEEPS // tests/tensor/test_sweeps.c has fewer, so that they do not do
#define PADICI_TENSOR_SWEEPS 30u
#endif

PADICI_FN void padici_tensor_z_dot(uint64_t n, const double *x, const double *y, double out[2]);
PADICI_FN double padici_tensor_z_norm2(uint64_t n, const double *x);
PADICI_FN void padici_tensor_z_add(uint64_t n, double *y, double re, double im, const double *x);
PADICI_FN void padici_tensor_z_scale(uint64_t n, double *x, double re, double im);
PADICI_FN void padici_tensor_z_rotate(uint64_t n, double *x, double *y, double c, double s,
                                      const double e[2]);
PADICI_FN double padici_tensor_z_size(double re, double im);
PADICI_FN void padici_tensor_z_phase(const double z[2], double phase[2]);

#endif
