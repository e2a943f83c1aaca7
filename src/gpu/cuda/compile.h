#pragma once
#include "../../core/platform.h"
#include "device.h"
#include "../texts.h"

typedef struct padici_cuda_build {
    const padici_program_text *program;
    const padic_program_desc *desc;
    const char *text;
} padici_cuda_build;

// A compilation for one architecture. Only its middle part runs beside others.
typedef struct padici_nvrtc_work {
    void *handle;
    const char **options;
    size_t size; // of the options
    uint32_t count, kind;
    int error; // NVRTC's result, or -1: no host memory
    char architecture[48];
} padici_nvrtc_work;

PADICI_FN void padici_nvrtc_begin(padici_cuda *cuda, const padici_cuda_build *build,
                                  const char *prefix, int arch, const char *suffix,
                                  padici_nvrtc_work *work);
PADICI_FN void padici_nvrtc_run(const padici_cuda *cuda, padici_nvrtc_work *work);
PADICI_FN int padici_nvrtc_end(padici_cuda *cuda, const char *name, padici_nvrtc_work *work,
                               padici_cuda_image *image);
PADICI_FN padic_result padici_nvrtc_answer(padici_cuda *cuda, int error, const char *name);
