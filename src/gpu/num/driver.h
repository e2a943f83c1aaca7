#pragma once
#include "../../core/platform.h"
#include "../frame.h"

#ifndef PADIC_NO_NUM

PADICI_FN padic_result padici_gpu_num(padici_gpu *gpu, const padici_call *call, int query);
PADICI_FN padic_result padici_warm_num(padici_gpu *gpu);

#endif
