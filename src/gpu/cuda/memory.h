#pragma once
#include "../../core/platform.h"
#include "device.h"

PADICI_FN padic_result padici_cuda_alloc(padic_device *device, uint64_t size, padic_mem *out);
PADICI_FN void padici_cuda_free(padic_device *device, padic_mem mem, uint64_t size);
PADICI_FN padic_result padici_cuda_wait(padici_cuda *cuda);
PADICI_FN padic_result padici_cuda_upload(padic_device *device, padic_mem mem, uint64_t at,
                                          const void *from, uint64_t size);
PADICI_FN padic_result padici_cuda_download(padic_device *device, padic_mem mem, uint64_t at,
                                            void *to, uint64_t size);
PADICI_FN padic_result padici_cuda_copy(padic_device *device, padic_mem to, uint64_t at,
                                        padic_mem from, uint64_t from_at, uint64_t size);
PADICI_FN padic_result padici_cuda_fill(padic_device *device, padic_mem mem, uint64_t at,
                                        uint32_t value, uint64_t size);
