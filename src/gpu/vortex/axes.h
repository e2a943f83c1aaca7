#pragma once
#include "../../core/platform.h"
#include "../frame.h"

#ifndef PADIC_NO_WAVE

// One or two views of one shape for the kernels: contiguous axes are merged, the fastest is the
// first. Steps in words or bytes, `unit` and `to_unit` of them per element, in two's complement.
typedef struct padici_gpu_wave_vortex_view {
    uint32_t axes, extent[PADIC_MAX_RANK], step[PADIC_MAX_RANK], to_step[PADIC_MAX_RANK];
} padici_gpu_wave_vortex_view;

PADICI_FN void padici_gpu_wave_vortex_axes(const padic_tensor *from, uint32_t unit,
                                           const padic_tensor *to, uint32_t to_unit,
                                           padici_gpu_wave_vortex_view *v);
PADICI_FN padic_result padici_gpu_wave_vortex_launch(padici_gpu *gpu, padici_gpu_work *work,
                                                     uint32_t kernel, uint32_t mems, uint64_t n,
                                                     const void *params, uint32_t size);

#endif
