#pragma once
#include "device.h"
#include "level.h"
#include "../core/platform.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN padic_result padici_simd_sparse_count_loop(padici_simd *simd, void *call);
PADICI_FN padic_result padici_simd_sparse_fill_loop(padici_simd *simd, void *call);

#endif
