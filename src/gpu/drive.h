#pragma once
#include "../context/state.h"
#include "../core/platform.h"

PADICI_FN padic_result padici_gpu_drive(padic_context *context, uint32_t op, void *call, int query);
