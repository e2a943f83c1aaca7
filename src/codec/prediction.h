#pragma once
#include "../core/platform.h"
#include "constants.h"
#include "differences.h"
#include "loops.h"

#ifndef PADIC_NO_CODEC

PADICI_FN int padici_streams(const padici_predictor *predictor, int changed);
PADICI_FN void padici_unpredict(const padici_codec_loops *loops, const padici_predictor *predictor,
                                uint64_t *x, size_t from, size_t to,
                                uint64_t carry[PADICI_MAX_OPS][8], int zigzag);
PADICI_FN void padici_predict(const padici_codec_loops *loops, const padici_predictor *predictor,
                              uint64_t *x, uint64_t *to, size_t n, int zigzag);

#endif
