#pragma once
#include "../../core/platform.h"
#include "handles.h"

PADICI_FN padic_result padici_cl_enqueue(padici_cl *cl, const padici_cl_node *n);
PADICI_FN padici_cl_node *padici_cl_node_new(padici_cl *cl);
PADICI_FN padic_result padici_cl_copy(padic_device *device, padic_mem to, uint64_t at,
                                      padic_mem from, uint64_t from_at, uint64_t size);
PADICI_FN padic_result padici_cl_fill(padic_device *device, padic_mem mem, uint64_t at,
                                      uint32_t value, uint64_t size);
PADICI_FN padic_result padici_cl_sync(padic_device *device);
