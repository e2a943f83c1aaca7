#pragma once
#include "../../core/platform.h"
#include "../tests.h"

#ifndef PADIC_NO_CODEC

PADICI_FN padic_result padici_test_codec_measure(padici_gpu_case *c);
PADICI_FN padic_result padici_test_codec_scan(padici_gpu_case *c);
PADICI_FN padic_result padici_test_codec_frames(padici_gpu_case *c);
PADICI_FN padic_result padici_test_codec_fill(padici_gpu_case *c);
PADICI_FN padic_result padici_test_codec_off(padici_gpu_case *c);
PADICI_FN padic_result padici_test_codec_range(padici_gpu_case *c);

#endif
