#pragma once
#include "../../core/platform.h"
#include "../frame.h"

#ifndef PADIC_NO_CODEC

PADICI_FN padic_result padici_gpu_codec(padici_gpu *gpu, uint32_t kernel, void *call, int query);

#define PADICI_GPU_LAYERS_CODEC(X) X(PADIC_KERNEL_CODEC_PACK, codec)

#endif
