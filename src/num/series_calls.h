#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "array.h"
#include "root.h"
#include "task.h"

#ifndef PADIC_NO_NUM

PADICI_FN padic_result padici_num_series_out(padic_context *context, padici_num_memory *memory,
                                         const padic_num_array *out, padic_num_planes *planes,
                                         void **status);
PADICI_FN padic_result padici_num_series_in(padic_context *context, padici_num_memory *memory,
                                        const padic_num_array *a, padic_num_planes *planes);
PADICI_FN padic_result padici_num_root_turn(padic_context *context, const padic_num_array *out,
                                        const padic_num_array *a, const padici_root *root);

#endif
