#pragma once
#include "../../core/platform.h"
#include "handles.h"
#include "../texts.h"

PADICI_FN void padici_cl_device_text(const padici_cl *cl, padici_cl_device device, uint32_t what,
                                     char *out, size_t size);
PADICI_FN void padici_cl_platform_text(const padici_cl *cl, uint32_t what, char *out, size_t size);
PADICI_FN uint64_t padici_cl_device_number(const padici_cl *cl, padici_cl_device device,
                                           uint32_t what);
PADICI_FN int padici_cl_has_extension(const padici_cl *cl, padici_cl_device device,
                                      const char *name);
