#pragma once
#include "../level.h"
#include "../../codec/choose_transform.h"
#include "../../codec/constants.h"
#include "../../codec/transforms.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// ------------------------------------------------------------------------------------ >>codec, x86
// The transforms and sizes with a vector loop; `run` is that of a level.
#define PADICI_CODEC_TRANSFORM_LOOPS(RUN) \
    RUN(PADICI_CODEC_TRANSFORM_BITS, 1, 8) \
    RUN(PADICI_CODEC_TRANSFORM_BITS, 1, 4) \
    RUN(PADICI_CODEC_TRANSFORM_BITS, 1, 2) \
    RUN(PADICI_CODEC_TRANSFORM_BITS, 0, 8) \
    RUN(PADICI_CODEC_TRANSFORM_BITS, 0, 4) \
    RUN(PADICI_CODEC_TRANSFORM_BITS, 0, 2) \
    RUN(PADICI_CODEC_TRANSFORM_BITS, 0, 1) \
    RUN(PADICI_CODEC_TRANSFORM_FIELDS, 1, 8) \
    RUN(PADICI_CODEC_TRANSFORM_FIELDS, 1, 4) \
    RUN(PADICI_CODEC_TRANSFORM_FIELDS, 1, 2) \
    RUN(PADICI_CODEC_TRANSFORM_SCALE, 1, 8) \
    RUN(PADICI_CODEC_TRANSFORM_SCALE, 1, 4) \
    RUN(PADICI_CODEC_TRANSFORM_SCALE, 1, 2) \
    RUN(PADICI_CODEC_TRANSFORM_AFFINE, 1, 8) \
    RUN(PADICI_CODEC_TRANSFORM_AFFINE, 1, 4) \
    RUN(PADICI_CODEC_TRANSFORM_DECIMAL, 1, 8) \
    RUN(PADICI_CODEC_TRANSFORM_DECIMAL, 1, 4)

PADICI_FN int padici_simd_codec_plain_transform(const padici_codec_transform *transform,
                                                padic_dtype dtype);
PADICI_FN double padici_simd_codec_within(const padici_codec_tolerance *tolerance);

#endif
