#pragma once
#include "../core/platform.h"
#include "operation.h"

// Fill and copy on any device: NOT_SUPPORTED for views with gaps and the like.
PADICI_FN padic_result padici_fill_device(const padici_call *call, padici_target *target,
                                          int query);
PADICI_FN padic_result padici_copy_device(const padici_call *call, padici_target *target,
                                          int query);
