#pragma once
#include "../../core/platform.h"
#include "../../pq/calls.h"
#include "../device.h"
#include "../level.h"

#ifndef PADIC_NO_PQ

PADICI_FN const padici_pq_kernels *padici_simd_pq_kernels(const padici_simd *simd);

#endif
