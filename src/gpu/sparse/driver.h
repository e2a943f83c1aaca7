#pragma once
#include "../../core/platform.h"
#include "../frame.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN padic_result padici_gpu_sparse(padici_gpu *gpu, uint32_t kernel, void *call, int query);
PADICI_FN padic_result padici_warm_sparse(padici_gpu *gpu);

#define PADICI_GPU_FAMILIES_SPARSE(X) X(PADIC_AREA_SPARSE, sparse)
#define PADICI_GPU_LAYERS_SPARSE(X) X(PADIC_KERNEL_SPARSE, sparse)

#endif
