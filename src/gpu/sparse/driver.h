#pragma once
#include "../../core/platform.h"
#include "../frame.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN padic_result padici_gpu_sparse(padici_gpu *gpu, uint32_t kernel, void *call, int query);

#define PADICI_GPU_LAYERS_SPARSE(X) X(PADIC_KERNEL_SPARSE, sparse)

#endif
