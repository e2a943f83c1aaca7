#pragma once
#include "../core/platform.h"
#include "cell.h"

#ifndef PADIC_NO_NUM

PADICI_FN int padici_num_cell_canonical(const padic_num_call *call, const padic_num_planes *p,
                                    const padici_num_cell *x);
PADICI_FN padic_result padici_num_check_find(padic_context *context, const padic_num_array *in,
                                             uint64_t *bad);

#endif
