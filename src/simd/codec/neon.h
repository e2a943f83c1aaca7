#pragma once
#include "../level.h"
#include "../../codec/loops.h"
#include "../../core/platform.h"

#ifndef PADIC_NO_CODEC

PADICI_FN padic_result padici_simd_codec(uint32_t level, padici_codec_loops *loops);

#endif
