#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN double padici_tensor_z_reflector(uint64_t n, double *x, double beta[2]);
PADICI_FN void padici_tensor_z_reflect(uint64_t n, const double *v, double tau, double *y);
PADICI_FN void padici_tensor_z_qr(uint64_t m, uint64_t n, double *a, double *tau, double *diag);
PADICI_FN void padici_tensor_z_qr_apply(uint64_t m, uint64_t r, const double *a, const double *tau,
                                        uint64_t columns, double *x);

#endif
