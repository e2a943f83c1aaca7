#pragma once
#include "../core/platform.h"
#include "block_decode.h"
#include "choose_prediction.h"
#include "choose_transform.h"
#include "differences.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN int padici_codec_follows(const padici_codec_work *w);
PADICI_FN void padici_codec_lead_words(padici_codec_work *w, const padici_codec_box *box,
                                       const padici_codec_transform *transform,
                                       const padici_codec_predictor *simple, size_t exceptions);
PADICI_FN void padici_codec_lead_payload(padici_codec_work *w, const padici_codec_box *box);
PADICI_FN int padici_codec_follow_words(padici_codec_work *w, const padici_codec_box *box,
                                        padici_codec_choice *choice);
PADICI_FN int padici_codec_follow_matches(padici_codec_work *w, const padici_codec_box *box,
                                          const padici_codec_plan *plan);
PADICI_FN int padici_codec_follow_bytes(padici_codec_work *w, const padici_codec_box *box);
PADICI_FN int padici_codec_no_repeats(const padici_codec_work *w);
PADICI_FN int padici_codec_passed_over(const padici_codec_work *w, uint32_t way, uint32_t split);

#endif
