#pragma once
#include "../core/platform.h"
#include "state.h"

typedef struct padici_shape { // what a launch of a kernel must agree with
    uint32_t group, buffers, params_size;
} padici_shape;

typedef struct padici_program {
    padic_program *handle;
    uint32_t kernels;
    const padici_shape *shapes; // one a kernel
} padici_program;

PADICI_FN int padici_shapes_fit(const padic_context *context, const padici_shape *shapes,
                                uint32_t kernels);
PADICI_FN padic_result padici_program_build(padic_context *context, const padic_program_desc *desc,
                                            uint32_t kernels, const padici_shape *shapes,
                                            padici_program *program);
PADICI_FN padic_result padici_programs_build(padic_context *context,
                                             const padic_program_desc *descs, uint32_t count,
                                             padic_program **handles, padic_result *results);
PADICI_FN padic_result padici_launch(padic_context *context, const padici_program *program,
                                     const padic_launch *desc);
PADICI_FN padic_result padici_drive(padic_context *context, uint32_t service, void *call);
