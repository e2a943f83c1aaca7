#pragma once
#include "../../cdt/measure.h"
#include "../../core/platform.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_CDT

enum { // what an output's elements are, to the kernels
    PADICI_GPU_CDT_SUM,
    PADICI_GPU_CDT_PROFILE,
    PADICI_GPU_CDT_PRODUCT,
    PADICI_GPU_CDT_COUNTS
};

PADICI_FN void padici_gpu_cdt_measure_params(const padici_cdt_rules *rules, uint32_t output,
                                             const padic_tensor *out,
                                             padici_k_cdt_measure_params *k);

#endif
