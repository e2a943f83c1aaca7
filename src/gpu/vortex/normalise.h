#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_WAVE

PADICI_FN padic_result padici_gpu_wave_normalise(padici_gpu *gpu, const padici_call *call,
                                                 int query);

#endif
