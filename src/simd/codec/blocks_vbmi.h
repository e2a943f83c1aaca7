#pragma once
#include "../level.h"
#include "../../codec/representation.h"
#include "../../codec/transforms.h"
#include "../../codec/prediction.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

PADICI_FN PADICI_IFMA int padici_simd_codec_narrow_ifma(const padici_codec_decoder *given,
                                                        const padici_codec_predictor *predictor,
                                                        int zigzag,
                                                        const padici_codec_transform *transform,
                                                        padic_dtype dtype, void *space,
                                                        uint8_t *raw, size_t n);

#endif
