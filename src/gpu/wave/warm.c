#include "warm.h"
#include "../variants.h"
#include "plan.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// Builds kernels in advance, with the defines of the tests.

PADICI_FN padic_result padici_warm_wave(padici_gpu *gpu)
{
    padic_wave_superpose_desc desc;
    padici_gpu_wave w;
    padic_result result = PADIC_OK;
    memset(&desc, 0, sizeof desc);
    memset(&w, 0, sizeof w);
    w.desc = &desc;
    for (w.listed = 0; w.listed < 2 && !result; w.listed++) {
        w.items = PADICI_TEST_WAVE_ITEMS;
        padici_gpu_wave_defines(gpu, &w);
        result = padici_gpu_need(gpu, PADICI_KERNEL_WAVE_FIELD, w.defines, w.define_count);
    }
    return result;
}

#endif
