#pragma once
#include "../core/platform.h"
#include "frame.h"

PADICI_FN padic_result padici_gpu_launch_in(const padici_gpu *gpu, uint32_t index,
                                            const padici_gpu_work *work);
PADICI_FN padic_result padici_gpu_launch(padici_gpu *gpu, const padici_gpu_work *work);
PADICI_FN padic_result padici_gpu_scratch(padici_gpu *gpu, uint64_t size, padici_gpu_block *out);
PADICI_FN void padici_gpu_scratch_end(padici_gpu *gpu, padici_gpu_block *block);
PADICI_FN padic_result padici_gpu_kept(padici_gpu *gpu, uint64_t size, padic_mem *out);
PADICI_FN padic_result padici_gpu_upload(padici_gpu *gpu, padic_mem mem, uint64_t at,
                                         const void *from, uint64_t size);
PADICI_FN padic_result padici_gpu_download(padici_gpu *gpu, padic_mem mem, uint64_t at, void *to,
                                           uint64_t size);
// padic_backend's fetch, where there is one, else NOT_SUPPORTED.
PADICI_FN padic_result padici_gpu_fetch(padici_gpu *gpu, const padic_fetch *fetch);
PADICI_FN uint32_t padici_gpu_groups(const padici_gpu *gpu, uint64_t items, uint32_t group);
PADICI_FN void padici_gpu_real(double value, uint32_t is_double, uint32_t words[2]);
