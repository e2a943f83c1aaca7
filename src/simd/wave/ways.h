#pragma once
#include "../level.h"
#include "../../core/platform.h"
#include "kernels.h"

#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

PADICI_FN double padici_wave_tile_sort(const padici_wave_tiles *w, padici_wave_tile *t,
                                       uint64_t first, uint64_t end);
PADICI_FN uint64_t padici_wave_tiles_source(const padici_wave_tiles *w, uint64_t row);

#endif
