#pragma once
#include "../core/platform.h"
#include "cell.h"

#ifndef PADIC_NO_NUM

// 1 / power, or power, as the bits of a float, correctly rounded, from 64 bits of the quotient 2^s
// / power and whether the remainder is not 0. A power of PADICI_NUM_NORM_WORDS - 1 words counts as
// infinite.
#define PADICI_NUM_NORM_WORDS 21u // p^|v| of 1,200 bits and one more factor

PADICI_FN uint64_t padici_num_norm_round(const uint64_t *power, uint32_t used, int inverse,
                                     padic_dtype dtype, uint32_t *overflow);
PADICI_FN uint32_t padici_num_norm_times(uint64_t *power, uint32_t used, uint64_t p);
PADICI_FN int32_t padici_num_cell_valuation(const padic_num_call *call, const padici_num_cell *a,
                                        uint32_t *bits);

#endif
