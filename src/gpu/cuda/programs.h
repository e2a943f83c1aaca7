#pragma once
#include "../../core/platform.h"

PADICI_FN padic_result padici_cuda_program_build(padic_device *device,
                                                 const padic_program_desc *desc,
                                                 padic_program **out);
PADICI_FN void padici_cuda_programs_build(padic_device *device, const padic_program_desc *descs,
                                          uint32_t count, padic_program **out,
                                          padic_result *results);
PADICI_FN void padici_cuda_keep(padic_device *device, padic_program *handle);
PADICI_FN padic_result padici_cuda_launch(padic_device *device, const padic_launch *launch);
