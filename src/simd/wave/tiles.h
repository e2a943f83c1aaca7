#pragma once
#include "../level.h"
#include "../../core/platform.h"
#include "kernels.h"

#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

PADICI_FN void padici_wave_tiles_cut(padici_wave_tiles *w);
PADICI_FN void padici_wave_tile_begin(const padici_wave_tiles *w, uint64_t number,
                                      padici_wave_tile *t);

#endif
