#pragma once
#include "../../core/platform.h"
#include "../frame.h"

#ifndef PADIC_NO_WAVE

PADICI_FN padic_result padici_warm_wave(padici_gpu *gpu);

#endif
