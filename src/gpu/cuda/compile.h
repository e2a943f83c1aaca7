#pragma once
#include "../../core/platform.h"
#include "device.h"
#include "../texts.h"

typedef struct padici_cuda_build {
    const padici_program_text *program;
    const padic_program_desc *desc;
    const char *text;
} padici_cuda_build;

PADICI_FN int padici_nvrtc_compile(padici_cuda *cuda, const padici_cuda_build *build,
                                   const char *prefix, int arch, const char *suffix,
                                   padici_cuda_image *image);
PADICI_FN padic_result padici_nvrtc_answer(padici_cuda *cuda, int error, const char *name);
