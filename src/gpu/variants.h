#pragma once
#include "../core/platform.h"
#include "frame.h"

PADICI_FN uint32_t padici_variant_find(const padici_gpu_state *state, uint32_t program,
                                       const char *const *defines, uint32_t count);
PADICI_FN void padici_variants_build(padici_gpu *gpu, uint32_t first);
PADICI_FN padic_result padici_gpu_ready(padici_gpu *gpu, uint32_t kernel,
                                        const char *const *defines, uint32_t count,
                                        uint32_t *index);
PADICI_FN padic_result padici_gpu_need(padici_gpu *gpu, uint32_t kernel, const char *const *defines,
                                       uint32_t count);
