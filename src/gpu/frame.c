#include "frame.h"

#if PADICI_IMPLEMENT_GPU

// ---------------------------------------------------------------------------------------- >>frame

// 1 for an NVIDIA device opened through CUDA, of this architecture or a later one: "sm_80".
PADICI_FN int padici_gpu_is_sm(const padici_gpu *gpu, uint32_t least)
{
    const char *arch = gpu->info->arch;
    uint32_t number = 0;
    if (strcmp(gpu->target->backend->name, "cuda") || strncmp(arch, "sm_", 3)) return 0;
    for (arch += 3; *arch >= '0' && *arch <= '9'; arch++)
        number = number * 10 + (uint32_t)(*arch - '0');
    return number >= least;
}

#endif
