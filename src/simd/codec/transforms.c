#include "transforms.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// 1 if the transform has no vector loop: shifts, bf16 lattices, and factors that could make a NaN,
// whose bits depend on the instruction.
PADICI_FN int padici_simd_codec_plain_transform(const padici_codec_transform *transform,
                                                padic_dtype dtype)
{
    const double g = padici_codec_double_of(transform->g), o = padici_codec_double_of(transform->o);
    if (transform->kind == PADICI_CODEC_TRANSFORM_BITS) return transform->shift != 0;
    if (transform->kind == PADICI_CODEC_TRANSFORM_FIELDS) return 0;
    return dtype == PADIC_BF16 || !(g - g == 0) || !(o - o == 0) || g == 0;
}

// A difference below this is within the tolerance; others are decided one by one.
PADICI_FN double padici_simd_codec_within(const padici_codec_tolerance *tolerance)
{
    return tolerance->mode == PADIC_CODEC_TOLERANCE_ABSOLUTE ||
                   tolerance->mode == PADIC_CODEC_TOLERANCE_RANGE
               ? tolerance->absolute
               : 0;
}

#endif
