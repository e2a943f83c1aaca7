#pragma once
#include "../../core/platform.h"
#include "handles.h"

PADICI_FN padic_result padici_cl_load(padici_cl *cl, const padic_device_desc *desc);
