#pragma once
#include "../../core/platform.h"
#include "job.h"

#ifndef PADIC_NO_CODEC_PACK

PADICI_FN PADICI_NOINLINE padic_result padici_gpu_codec_prove(padici_gpu_codec_job *job);

#endif
