#pragma once
#include "../core/platform.h"

PADICI_FN padic_result padici_cpu_open(const padic_env *env, const padic_device_desc *desc,
                                       padic_device **out);
PADICI_FN void padici_cpu_close(padic_device *device);
PADICI_FN void padici_cpu_info(padic_device *device, padic_device_info *info);
PADICI_FN padic_result padici_cpu_alloc(padic_device *device, uint64_t size, padic_mem *out);
PADICI_FN void padici_cpu_free(padic_device *device, padic_mem mem, uint64_t size);

PADICI_INLINE char *padici_mem_at(padic_mem mem, uint64_t at) // host memory, or none (NULL + 0)
{
    return (char *)(uintptr_t)(mem.bits + at);
}

PADICI_FN padic_result padici_cpu_upload(padic_device *device, padic_mem mem, uint64_t at,
                                         const void *from, uint64_t size);
PADICI_FN padic_result padici_cpu_download(padic_device *device, padic_mem mem, uint64_t at,
                                           void *to, uint64_t size);
PADICI_FN padic_result padici_cpu_copy(padic_device *device, padic_mem to, uint64_t at,
                                       padic_mem from, uint64_t from_at, uint64_t size);
PADICI_FN padic_result padici_cpu_fill(padic_device *device, padic_mem mem, uint64_t at,
                                       uint32_t value, uint64_t size);
PADICI_FN padic_result padici_cpu_program(padic_device *device, const padic_program_desc *desc,
                                          padic_program **out);
PADICI_FN padic_result padici_cpu_launch(padic_device *device, const padic_launch *launch);
PADICI_FN padic_result padici_cpu_sync(padic_device *device);

static const padic_backend padici_cpu = {PADIC_BACKEND_VERSION,
                                         "cpu",
                                         padici_cpu_open,
                                         padici_cpu_close,
                                         padici_cpu_info,
                                         padici_cpu_alloc,
                                         padici_cpu_free,
                                         padici_cpu_upload,
                                         padici_cpu_download,
                                         padici_cpu_copy,
                                         padici_cpu_fill,
                                         padici_cpu_program,
                                         padici_cpu_launch,
                                         padici_cpu_sync,
                                         NULL,
                                         NULL,
                                         NULL,
                                         NULL,
                                         0,
                                         PADIC_BACKEND_HOST | PADIC_BACKEND_PLAIN,
                                         NULL,
                                         NULL,
                                         NULL,
                                         NULL};
