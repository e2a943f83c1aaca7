#pragma once
#include "../../core/platform.h"
#include "job.h"

#ifndef PADIC_NO_CODEC_PACK

PADICI_FN uint32_t padici_gpu_codec_subgroups(const padici_gpu_codec_job *job);
PADICI_FN padic_result padici_gpu_codec_plain(padici_gpu_codec_job *job, uint32_t first,
                                              uint32_t last);
PADICI_FN padic_result padici_gpu_codec_scan_frames(padici_gpu_codec_job *job);

// Bits of the second word of the status; the third one is 1 where there is no index. One word per
// block follows.
#define PADICI_CODEC_STATUS 3u
#define PADICI_CODEC_SOME_CODED 1u
#define PADICI_CODEC_SOME_EXCEPTIONS 4u // exceptions exist
#define PADICI_CODEC_SOME_PLAIN 16u

PADICI_FN PADICI_NOINLINE padic_result padici_gpu_codec_unpack_in(padici_gpu_codec_job *job);

#endif
