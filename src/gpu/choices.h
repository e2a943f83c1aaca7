#pragma once
#include "../core/platform.h"
#include "frame.h"
#include "source.h"
#include "tables.h"

static const padici_gpu_tunable *const padici_gpu_tunables[] = {
#define PADICI_GPU_TUNABLE_ROW(name) &padici_tunable_##name,
    PADICI_GPU_TUNABLES(PADICI_GPU_TUNABLE_ROW)
#undef PADICI_GPU_TUNABLE_ROW
};

#define PADICI_TUNE_COUNT \
    ((uint32_t)(sizeof padici_gpu_tunables / sizeof *padici_gpu_tunables))

PADICI_FN uint32_t padici_tune_class(uint64_t n);
PADICI_FN uint32_t padici_tune_builtin(const padici_gpu *gpu, const padici_gpu_tunable *t,
                                       uint32_t c);

#define PADICI_TUNE_BYTES (PADICI_TUNE_MOST * PADICI_TUNE_CLASSES * 5u)

PADICI_FN PADICI_NOINLINE void padici_tune_load(padici_gpu *gpu);
PADICI_FN PADICI_NOINLINE void padici_tune_store(const padici_gpu *gpu);
