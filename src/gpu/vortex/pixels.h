#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../base/driver.h"
#include "../frame.h"
#include "../source.h"
#include "../texts.h"

#ifndef PADIC_NO_WAVE

PADICI_FN int padici_example_wave_observe(padici_any_desc *desc, uint32_t size_class);

static const padici_gpu_tunable padici_tunable_wave_observe = {
    "wave_observe", PADIC_AREA_WAVE, PADIC_OP_WAVE_OBSERVE, PADICI_PROGRAM_VORTEX, 3,
    PADICI_TUNE_GROUPS, padici_example_wave_observe, 1e-5};

typedef struct padici_gpu_wave_vortex_tone {
    uint32_t tone, nan_colour;
    float low, high, scale;
} padici_gpu_wave_vortex_tone;

PADICI_FN int padici_gpu_wave_vortex_normal(double x);
PADICI_FN int padici_gpu_wave_vortex_tone_begin(const padic_wave_tone *tone,
                                                padici_gpu_wave_vortex_tone *t);

// The table to read and the range to write, in device memory if there is a device buffer.
typedef struct padici_gpu_wave_vortex_extras {
    padici_gpu_block table, ends;
    padic_wave_tonemap_report *report; // NULL: no range is reported
} padici_gpu_wave_vortex_extras;

PADICI_FN padic_result padici_gpu_wave_vortex_extras_begin(padici_gpu *gpu,
                                                           const padic_wave_tone *tone,
                                                           padic_wave_tonemap_report *report,
                                                           padici_gpu_wave_vortex_extras *x);
PADICI_FN padic_result padici_gpu_wave_vortex_extras_end(padici_gpu *gpu,
                                                         padici_gpu_wave_vortex_extras *x,
                                                         padic_result result);

#endif
