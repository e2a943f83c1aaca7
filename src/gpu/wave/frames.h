#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../frame.h"
#include "../source.h"
#include "../texts.h"

#ifndef PADIC_NO_WAVE

PADICI_FN int padici_example_wave_frames(padici_any_desc *desc, uint32_t size_class);

// Keyed by numbers written. Choices: how widely the frames of a tile are spread over groups of
// items.
static const padici_gpu_tunable padici_tunable_wave_frames = {
    "wave_frames", PADIC_AREA_WAVE, PADIC_OP_WAVE_FRAMES, PADICI_PROGRAM_WAVE, 4,
    {{{NULL, NULL, NULL, NULL}, 0, 32},
     {{NULL, NULL, NULL, NULL}, 0, 8},
     {{NULL, NULL, NULL, NULL}, 0, 16},
     {{NULL, NULL, NULL, NULL}, 0, 128}},
    padici_example_wave_frames, 1e-4};

#endif
