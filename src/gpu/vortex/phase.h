#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_WAVE

PADICI_FN int padici_gpu_gradient_params(const padic_wave_phase_gradient_desc *desc, uint64_t at,
                                         uint64_t to, padici_k_vortex_gradient_params *k);
PADICI_FN padic_result padici_gpu_wave_phase_gradient(padici_gpu *gpu, const padici_call *call,
                                                      int query);
PADICI_FN void padici_gpu_winding_params(const padic_wave_winding_desc *desc, uint64_t psi_at,
                                         uint64_t map_at, padici_k_vortex_winding_params *k);
PADICI_FN padic_result padici_gpu_wave_winding(padici_gpu *gpu, const padici_call *call, int query);
PADICI_FN padic_result padici_warm_vortex(padici_gpu *gpu);

#endif
