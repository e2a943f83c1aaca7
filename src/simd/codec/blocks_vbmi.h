#pragma once
#include "../level.h"
#include "../../codec/digits.h"
#include "../../codec/forms.h"
#include "../../codec/prediction.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

PADICI_FN PADICI_IFMA int padici_simd_codec_narrow_ifma(const padici_digits *given,
                                                        const padici_predictor *predictor,
                                                        int zigzag, const padici_form *form,
                                                        padic_dtype dtype, void *space,
                                                        uint8_t *raw, size_t n);

#endif
