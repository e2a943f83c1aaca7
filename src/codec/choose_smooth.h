#pragma once
#include "../core/platform.h"
#include "choose_transform.h"
#include "differences.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN uint64_t padici_codec_smooth_cost(const padici_codec_work *w, const padici_codec_box *box,
                                            const padici_codec_tolerance *tolerance,
                                            padici_codec_predictor *predictor);
PADICI_FN void padici_codec_try_smooth(padici_codec_work *w, const padici_codec_box *box,
                                       const padici_codec_tolerance *tolerance,
                                       const padici_codec_predictor *predictor);
PADICI_FN void padici_codec_try_orders(padici_codec_work *w, const padici_codec_box *box,
                                       const padici_codec_tolerance *tolerance,
                                       const padici_codec_predictor *predictor);

#endif
