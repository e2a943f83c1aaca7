#pragma once
#include "../../core/platform.h"
#include "device.h"

PADICI_FN void padici_cuda_abandon(padici_cuda *cuda);
