#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_CDT

#define PADICI_CDT_WEIGHT 1000u              // most of a kind of move
#define PADICI_CDT_EXPONENT 16.0             // most of |lambda| and of epsilon
#define PADICI_CDT_ALWAYS ((uint64_t)1 << 33) // E of what is always accepted

PADICI_FN int64_t padici_cdt_fixed(double x);
PADICI_FN int64_t padici_cdt_fixed_times(int64_t x, int64_t n);
PADICI_FN uint64_t padici_cdt_threshold(int64_t x, uint32_t above, uint32_t below);

#endif
