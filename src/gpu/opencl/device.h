#pragma once
#include "../../core/platform.h"
#include "handles.h"

PADICI_FN void padici_cl_end(padici_cl *cl);
PADICI_FN padic_result padici_cl_open(const padic_env *env, const padic_device_desc *desc,
                                      padic_device **out);
PADICI_FN void padici_cl_info(padic_device *device, padic_device_info *info);
