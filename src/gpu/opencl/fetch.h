#pragma once
#include "../../core/platform.h"
#include "handles.h"

PADICI_FN void padici_cl_copies_end(padici_cl *cl);
PADICI_FN padic_result padici_cl_fetch(padic_device *device, const padic_fetch *fetch);
