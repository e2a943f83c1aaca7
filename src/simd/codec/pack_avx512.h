#pragma once
#include "../level.h"
#include "../../codec/loops.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

PADICI_FN void padici_simd_codec_pack_avx512(padici_codec_loops *loops);

#endif
