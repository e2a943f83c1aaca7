#pragma once
#include "../core/platform.h"
#include "constants.h"
#include "differences.h"
#include "loops.h"

#ifndef PADIC_NO_CODEC

PADICI_FN int padici_codec_streams(const padici_codec_predictor *predictor, int changed);
PADICI_FN void padici_codec_unpredict(const padici_codec_loops *loops,
                                      const padici_codec_predictor *predictor, uint64_t *x,
                                      size_t from, size_t to,
                                      uint64_t carry[PADICI_CODEC_MAX_OPS][8], int zigzag);
PADICI_FN void padici_codec_predict(const padici_codec_loops *loops,
                                    const padici_codec_predictor *predictor, uint64_t *x,
                                    uint64_t *to, size_t n, int zigzag);

#endif
