#pragma once
#include "../../core/platform.h"
#include "../frame.h"

#ifndef PADIC_NO_NUM

PADICI_FN padic_result padici_gpu_num(padici_gpu *gpu, uint32_t kernel, void *call, int query);

#endif
