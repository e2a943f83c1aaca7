#pragma once
#include "../../core/platform.h"
#include "device.h"

PADICI_FN padic_result padici_cuda_fetch(padic_device *device, const padic_fetch *fetch);
