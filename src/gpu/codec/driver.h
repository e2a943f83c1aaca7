#pragma once
#include "../../codec/buffers.h"
#include "../../core/platform.h"
#include "../frame.h"

#ifndef PADIC_NO_CODEC_PACK

// `query`: only builds the required kernels.
PADICI_FN padic_result padici_gpu_codec(padici_gpu *gpu, int unpack, padici_codec_drive *d,
                                        int query);


#endif
