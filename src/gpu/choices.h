#pragma once
#include "../core/platform.h"
#include "frame.h"
#include "source.h"
#include "tables.h"

// The tunables of all compiled areas, and their number.
PADICI_FN const padici_gpu_tunable *padici_gpu_tunable_of(uint32_t index);
PADICI_FN uint32_t padici_gpu_tunable_count(void);

PADICI_FN uint32_t padici_tune_class(uint64_t n);
PADICI_FN uint32_t padici_tune_builtin(const padici_gpu *gpu, const padici_gpu_tunable *t,
                                       uint32_t c);

#define PADICI_TUNE_BYTES (PADICI_TUNE_MOST * PADICI_TUNE_CLASSES * 5u)

PADICI_FN PADICI_NOINLINE void padici_tune_load(padici_gpu *gpu);
PADICI_FN PADICI_NOINLINE void padici_tune_store(const padici_gpu *gpu);
