#pragma once
#include "../../core/platform.h"

PADICI_FN padic_result padici_cuda_sync(padic_device *device);
PADICI_FN padic_result padici_cuda_time(padic_device *device, uint32_t slot, uint64_t *ns);
