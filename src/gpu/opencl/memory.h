#pragma once
#include "../../core/platform.h"
#include "handles.h"

PADICI_FN padici_cl_mem padici_cl_mem_of(padic_mem mem);
PADICI_FN padic_result padici_cl_alloc(padic_device *device, uint64_t size, padic_mem *out);
PADICI_FN void padici_cl_free(padic_device *device, padic_mem mem, uint64_t size);
PADICI_FN void padici_cl_ring_end(padici_cl *cl);
PADICI_FN padic_result padici_cl_upload(padic_device *device, padic_mem mem, uint64_t at,
                                        const void *from, uint64_t size);
PADICI_FN padic_result padici_cl_download(padic_device *device, padic_mem mem, uint64_t at,
                                          void *to, uint64_t size);
