#pragma once
#include "../../core/platform.h"
#include "../tests.h"

#ifndef PADIC_NO_WAVE

PADICI_FN void padici_test_vortex_samples(float *psi, uint32_t n);
PADICI_FN padic_result padici_test_vortex_observe(padici_gpu_case *c);
PADICI_FN void padici_test_vortex_steady(const padic_wave_tone *tone, float *field, uint32_t n,
                                         int real_);
PADICI_FN padic_result padici_test_vortex_tonemap(padici_gpu_case *c);
PADICI_FN uint64_t padici_test_vortex_bits(double x);
PADICI_FN padic_result padici_test_vortex_norm(padici_gpu_case *c);
PADICI_FN padic_result padici_test_vortex_norm_total(padici_gpu_case *c);
PADICI_FN padic_result padici_test_vortex_multiply(padici_gpu_case *c);
PADICI_FN padic_result padici_test_vortex_gradient(padici_gpu_case *c);
PADICI_FN padic_result padici_test_vortex_winding(padici_gpu_case *c);

#endif
