#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_WAVE

// points, centres, axes, charges, cores, psi
#define PADICI_WAVE_VORTEX_INPUTS 6u
#define PADICI_WAVE_VORTEX_WORDS 20u                 // of a line
#define PADICI_WAVE_VORTEX_PAIRS (UINT64_C(1) << 32) // per launch

#endif
