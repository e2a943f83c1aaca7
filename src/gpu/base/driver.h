#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../frame.h"
#include "../source.h"
#include "../texts.h"

// Group sizes of kernels with one or a few places per item.
#define PADICI_TUNE_GROUPS                 \
    {{{NULL, NULL, NULL, NULL}, 0, 128},   \
     {{"PD_WG=64", NULL, NULL, NULL}, 1, 64}, \
     {{"PD_WG=256", NULL, NULL, NULL}, 1, 256}}

PADICI_FN int padici_example_random_fill(padici_any_desc *desc, uint32_t size_class);

static const padici_gpu_tunable padici_tunable_random_fill = {
    "random_fill", PADIC_AREA_BASE, PADIC_OP_RANDOM_FILL, PADICI_PROGRAM_BASE, 3,
    PADICI_TUNE_GROUPS, padici_example_random_fill, 0};

PADICI_FN uint32_t padici_gpu_random_kind(padic_dtype dtype);
