#pragma once
#include "../../core/platform.h"
#include "../tests.h"

#ifndef PADIC_NO_WAVE

PADICI_FN padic_result padici_test_vortex_lines(padici_gpu_case *c);
PADICI_FN void padici_test_vortex_lines_of(uint32_t round, uint32_t m, double *space,
                                           float *record);
PADICI_FN padic_result padici_test_vortex_field(padici_gpu_case *c);

#endif
