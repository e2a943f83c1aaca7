#pragma once
#include "../../core/platform.h"
#include "../../core/splitmix.h"
#include "../../rollout/kernels.h"
#include "../device.h"
#include "../level.h"

#ifndef PADIC_NO_ROLLOUT

PADICI_FN padic_result padici_simd_rollout_kernels(padici_simd *simd, void *choice);

#define PADICI_OPASTE(a, b) padici_simd_rollout_##a##_##b
#define PADICI_ONAME(a, b) PADICI_OPASTE(a, b)
#define PADICI_OK(name) PADICI_ONAME(name, PADICI_ISA) // .._name_avx2

#endif
