#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_WAVE

PADICI_FN padic_result padici_gpu_wave_phase_gradient(padici_gpu *gpu, const padici_call *call,
                                                      int query);
PADICI_FN padic_result padici_gpu_wave_winding(padici_gpu *gpu, const padici_call *call, int query);

#endif
