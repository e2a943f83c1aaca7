#pragma once
#include "../../core/platform.h"
#include "../tests.h"

#ifndef PADIC_NO_CODEC

PADICI_FN padic_result padici_test_codec_expand(padici_gpu_case *c);
PADICI_FN padic_result padici_test_codec_unpack(padici_gpu_case *c);
PADICI_FN padic_result padici_test_codec_swift(padici_gpu_case *c);
PADICI_FN padic_result padici_test_codec_rest(padici_gpu_case *c);
PADICI_FN padic_result padici_test_codec_mend(padici_gpu_case *c);

#endif
