#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../frame.h"
#include "../source.h"
#include "../texts.h"

#ifndef PADIC_NO_WAVE

PADICI_FN int padici_example_wave_few(padici_any_desc *desc, uint32_t size_class);

// Keyed by pairs. Choices: sources of a point that are in flight at once.
static const padici_gpu_tunable padici_tunable_wave_few = {
    "wave_few", PADIC_AREA_WAVE, PADIC_OP_WAVE_SUPERPOSE, PADICI_PROGRAM_WAVE, 4,
    {{{NULL, NULL, NULL, NULL}, 0, 0},
     {{"PD_WAVE_SOME=1", NULL, NULL, NULL}, 1, 0},
     {{"PD_WAVE_SOME=2", NULL, NULL, NULL}, 1, 0},
     {{"PD_WAVE_SOME=8", NULL, NULL, NULL}, 1, 0}},
    padici_example_wave_few, 1e-4};

#endif
