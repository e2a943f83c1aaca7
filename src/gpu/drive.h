#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "frame.h"

PADICI_FN PADICI_NOINLINE padic_result padici_gpu_drive_in(padici_gpu *gpu, void *call);
PADICI_FN padic_result padici_gpu_drive(padic_context *context, uint32_t op, void *call, int query);
