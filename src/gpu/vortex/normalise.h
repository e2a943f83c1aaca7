#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_WAVE

PADICI_FN void padici_gpu_multiply_params(const padic_tensor *psi, uint64_t at, double factor,
                                          padici_k_vortex_multiply_params *k);
PADICI_FN padic_result padici_gpu_wave_normalise(padici_gpu *gpu, const padici_call *call,
                                                 int query);

#endif
