#pragma once
#include "../core/platform.h"
#include "frame.h"

typedef padic_result (*padici_gpu_test_fn)(padici_gpu_case *c);

PADICI_FN padic_result padici_gpu_test(const padici_gpu *gpu, uint32_t variant, uint32_t kernel);
