#pragma once
#include "../device.h"
#include "../level.h"
#include "../../core/platform.h"
#include "../../wave/grid.h"
#include "kernels.h"

#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

enum {
    PADICI_WAVE_FIELD_OBSERVE,
    PADICI_WAVE_FIELD_SQUARES,
    PADICI_WAVE_FIELD_SCALE,
    PADICI_WAVE_FIELD_SLOPE,
    PADICI_WAVE_FIELD_CHARGE,
    PADICI_WAVE_FIELD_PIXELS
};

typedef struct padici_wave_field_grid {
    padici_wave_grid_job job;
    padici_wave_field_kernel kernel;
    uint64_t rows, tasks;
    uint32_t last; // the axis of rows
} padici_wave_field_grid;

PADICI_FN padici_wave_field_kernel padici_wave_field_of(uint32_t level, uint32_t which);

#endif
