#pragma once
#include "../../core/platform.h"
#include "../tests.h"

#ifndef PADIC_NO_SAMPLE

PADICI_FN padic_result padici_test_sample_points(padici_gpu_case *c);
PADICI_FN padic_result padici_test_sample_maps(padici_gpu_case *c);

#endif
