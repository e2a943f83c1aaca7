#pragma once
#include "../../core/platform.h"
#include "job.h"

#ifndef PADIC_NO_CODEC_PACK

PADICI_FN padic_result padici_gpu_codec_range(padici_gpu_codec_job *job);
PADICI_FN padic_result padici_gpu_codec_write(padici_gpu_codec_job *job);
PADICI_FN PADICI_NOINLINE padic_result padici_gpu_codec_pack_in(padici_gpu_codec_job *job);
PADICI_FN padic_result padici_gpu_codec_coded(padici_gpu_codec_job *job);

#endif
