#pragma once
#include "../../core/platform.h"
#include "job.h"

#ifndef PADIC_NO_CODEC

PADICI_NOINLINE PADICI_FN padic_result padici_gpu_codec_prove(padici_gpu_codec_job *job);

#endif
