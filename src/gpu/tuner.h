#pragma once
#include "../context/operation.h"
#include "../core/platform.h"
#include "frame.h"
#include "source.h"

// One tunable on one example: operands on the host and on the device, and the CPU's results.
#define PADICI_TUNE_OPERANDS 12 // of an example, which has no results for the host

typedef struct padici_tune_run {
    padici_gpu *gpu;
    const padici_gpu_tunable *t;
    padici_any_desc desc;
    padici_operand operands[PADICI_TUNE_OPERANDS];
    padic_buffer buffers[PADICI_TUNE_OPERANDS];
    uint64_t at[PADICI_TUNE_OPERANDS], size[PADICI_TUNE_OPERANDS]; // bytes in each of these:
    uint32_t count;
    unsigned char *reference, *first, *got; // all operands; outputs of the first choice, of another
    uint64_t bytes;
} padici_tune_run;

PADICI_FN const padici_gpu_choice *padici_gpu_choose(padici_gpu *gpu, const padici_gpu_tunable *t,
                                                     uint64_t n);
PADICI_FN padic_result padici_gpu_tune(padici_gpu *gpu, const padici_drive_tune *call);
