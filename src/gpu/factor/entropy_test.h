#pragma once
#include "../../core/platform.h"
#include "../tests.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN void padici_test_cut_number(unsigned char *at, uint32_t i, int wide, double x);
PADICI_FN padic_result padici_test_factor_cut(padici_gpu_case *c);
PADICI_FN padic_result padici_test_factor_gram(padici_gpu_case *c);
PADICI_FN padic_result padici_test_factor_add(padici_gpu_case *c);

#endif
