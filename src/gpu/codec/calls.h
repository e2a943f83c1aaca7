#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../frame.h"

#ifndef PADIC_NO_CODEC_PACK

PADICI_FN padic_result padici_gpu_codec_pack(padici_gpu *gpu, const padici_call *call, int query);
PADICI_FN padic_result padici_gpu_codec_unpack(padici_gpu *gpu, const padici_call *call, int query);

#endif
