#pragma once
#include "../../codec/buffers.h"
#include "../../core/platform.h"
#include "../frame.h"

#ifndef PADIC_NO_CODEC_PACK

// `query`: only builds the required kernels.
PADICI_FN padic_result padici_gpu_codec(padici_gpu *gpu, int unpack, padici_codec_drive *d,
                                        int query);
// Notes the kernels that packing F32 in a profile takes, in a query that gathers.
PADICI_FN void padici_gpu_codec_gather(padici_gpu *gpu, padic_codec_profile profile,
                                       padic_codec_tolerance_mode mode);

#endif
