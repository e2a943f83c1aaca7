#pragma once
#include "../level.h"
#include "../../codec/contexts.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// Input of the context: a column, the previous byte, the previous two, arbitrary bytes.
enum {
    PADICI_CODEC_CONTEXT_COLUMN,
    PADICI_CODEC_CONTEXT_ONE,
    PADICI_CODEC_CONTEXT_TWO,
    PADICI_CODEC_CONTEXT_ANY
};

PADICI_FN int padici_simd_codec_rows_fit(const padici_codec_context_plan *plan, size_t n,
                                         size_t room);
PADICI_FN PADICI_AVX2 void padici_simd_codec_stretches(const uint8_t *rows, uint8_t *data,
                                                       size_t steps, size_t length, size_t n);

#endif
