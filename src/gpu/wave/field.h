#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../frame.h"
#include "plan.h"
#include "../texts.h"

#ifndef PADIC_NO_WAVE

PADICI_FN void padici_gpu_wave_given(const padici_gpu_wave *w, padici_k_wave_sources_params *k,
                                     padic_mem none, padic_mem *mem);
PADICI_FN padic_result padici_gpu_wave_sources(padici_gpu *gpu, padici_gpu_wave *w, padic_mem order,
                                               uint32_t order_base);
PADICI_FN uint64_t padici_gpu_wave_most(const padici_gpu *gpu);
PADICI_FN void padici_gpu_wave_work(padici_gpu_wave *w, padici_gpu_work *work);

typedef struct padici_gpu_wave_seen {
    uint64_t coincident;
    double bound, low, high;
} padici_gpu_wave_seen;

PADICI_FN padic_result padici_gpu_wave_reports(padici_gpu *gpu, padic_mem report, uint64_t n,
                                               padici_gpu_wave_seen *seen);
PADICI_FN void padici_gpu_wave_tell(const padici_gpu_wave *w, const padici_gpu_wave_seen *seen);
PADICI_FN padic_result padici_gpu_wave_table(padici_gpu *gpu, padici_gpu_wave *w);
PADICI_FN padic_result padici_gpu_wave_run(padici_gpu *gpu, padici_gpu_wave *w, int query,
                                           const padici_operand *slopes);

#endif
