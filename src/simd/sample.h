#pragma once
#include "level.h"
#include "../core/platform.h"

#ifndef PADIC_NO_SAMPLE

PADICI_FN padic_result padici_simd_sample(uint32_t level, padic_sample_call *call);

#endif
