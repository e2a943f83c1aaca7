#include "cpu.h"
#include "../core/memory.h"

#if PADICI_IMPLEMENT_CORE

// -------------------------------------------------------------------------------- >>cpu backend
//
// Host memory and the plain references. Its device is the environment itself: it owns nothing.

PADICI_FN padic_result padici_cpu_open(const padic_env *env, const padic_device_desc *desc,
                                       padic_device **out)
{
    (void)desc;
    *out = (padic_device *)(uintptr_t)env;
    return PADIC_OK;
}

PADICI_FN void padici_cpu_close(padic_device *device)
{
    (void)device;
}

PADICI_FN void padici_cpu_info(padic_device *device, padic_device_info *info)
{
    const padic_env *env = (const padic_env *)(void *)device;
    memset(info, 0, sizeof *info);
    memcpy(info->name, "CPU, plain C", 13);
    info->features = PADIC_FEATURE_F64 | PADIC_FEATURE_UNIFIED;
    info->compute_units = env->jobs->workers ? env->jobs->workers : 1;
    info->alignment = 64;
    info->max_alloc = (size_t)-1 / 2;
}

PADICI_FN padic_result padici_cpu_alloc(padic_device *device, uint64_t size, padic_mem *out)
{
    const padic_env *env = (const padic_env *)(void *)device;
    void *block = size > (size_t)-1 / 2 ? NULL : padici_alloc(env->allocator, (size_t)size, 64);
    out->bits = (uint64_t)(uintptr_t)block;
    return block ? PADIC_OK : PADIC_ERROR_MEMORY;
}

PADICI_FN void padici_cpu_free(padic_device *device, padic_mem mem, uint64_t size)
{
    const padic_env *env = (const padic_env *)(void *)device;
    padici_free(env->allocator, (void *)(uintptr_t)mem.bits, (size_t)size);
}

PADICI_FN padic_result padici_cpu_upload(padic_device *device, padic_mem mem, uint64_t at,
                                         const void *from, uint64_t size)
{
    (void)device;
    memcpy(padici_mem_at(mem, at), from, (size_t)size);
    return PADIC_OK;
}

PADICI_FN padic_result padici_cpu_download(padic_device *device, padic_mem mem, uint64_t at,
                                           void *to, uint64_t size)
{
    (void)device;
    memcpy(to, padici_mem_at(mem, at), (size_t)size);
    return PADIC_OK;
}

PADICI_FN padic_result padici_cpu_copy(padic_device *device, padic_mem to, uint64_t at,
                                       padic_mem from, uint64_t from_at, uint64_t size)
{
    (void)device;
    memcpy(padici_mem_at(to, at), padici_mem_at(from, from_at), (size_t)size);
    return PADIC_OK;
}

PADICI_FN padic_result padici_cpu_fill(padic_device *device, padic_mem mem, uint64_t at,
                                       uint32_t value, uint64_t size)
{
    char *to = padici_mem_at(mem, at), *end = to + size;
    (void)device;
    for (; to < end; to += 4) memcpy(to, &value, 4);
    return PADIC_OK;
}

PADICI_FN padic_result padici_cpu_program(padic_device *device, const padic_program_desc *desc,
                                          padic_program **out)
{
    (void)device;
    (void)desc;
    *out = NULL;
    return PADIC_ERROR_NOT_SUPPORTED;
}

PADICI_FN padic_result padici_cpu_launch(padic_device *device, const padic_launch *launch)
{
    (void)device;
    (void)launch;
    return PADIC_ERROR_NOT_SUPPORTED;
}

PADICI_FN padic_result padici_cpu_sync(padic_device *device)
{
    (void)device;
    return PADIC_OK;
}

#endif
