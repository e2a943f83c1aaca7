#pragma once
#include "../../core/platform.h"
#include "../tests.h"
#include "known.h"

#ifndef PADIC_NO_CODEC

PADICI_FN padic_result padici_codec_known_plans(padici_gpu_case *c, padici_codec_known *x,
                                                uint32_t i);
PADICI_FN padic_result padici_test_codec_classes(padici_gpu_case *c);
PADICI_FN padic_result padici_test_codec_rans(padici_gpu_case *c);
PADICI_FN padic_result padici_test_codec_coded(padici_gpu_case *c);

#endif
