#pragma once
#include "level.h"
#include "../core/platform.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN padic_result padici_simd_sparse(uint32_t level, uint32_t op, void *call_);

#endif
