#pragma once
#include "../../core/platform.h"
#include "handles.h"

PADICI_FN void padici_cl_program_end(padici_cl *cl, padici_cl_built_program *built);
PADICI_FN padic_result padici_cl_make_program(padic_device *device, const padic_program_desc *desc,
                                              padic_program **out);
PADICI_FN void padici_cl_keep(padic_device *device, padic_program *program);
