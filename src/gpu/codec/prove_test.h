#pragma once
#include "../../core/platform.h"
#include "../tests.h"

#ifndef PADIC_NO_CODEC

PADICI_FN padic_result padici_test_codec_prove(padici_gpu_case *c);
PADICI_FN padic_result padici_test_codec_redo(padici_gpu_case *c);

#endif
