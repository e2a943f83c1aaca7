#pragma once
#include "../../core/platform.h"
#include "device.h"

PADICI_FN padic_result padici_cuda_load_driver(padici_cuda *cuda, const char *path);
PADICI_FN int padici_cuda_attribute(padici_cuda *cuda, int attribute, int device);
PADICI_FN padic_result padici_cuda_choose(padici_cuda *cuda, const padic_device_desc *desc);
