#pragma once
#include "../core/platform.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN uint64_t padici_codec_bucket_cost(const padici_codec_loops *loops, const uint64_t *z,
                                            size_t n);
PADICI_FN uint64_t padici_codec_words_cost(const padici_codec_work *w, const uint64_t *z, size_t n);
PADICI_FN uint64_t padici_codec_bytes_cost(const padici_codec_loops *loops, const uint64_t *z,
                                           size_t n);
PADICI_FN uint32_t padici_codec_choose_mantissa(const padici_codec_loops *loops, const uint64_t *z,
                                                size_t n, size_t step, uint64_t *cost);

#endif
