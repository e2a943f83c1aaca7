#pragma once
#include "../core/platform.h"
#include "block_decode.h"
#include "choose_transform.h"
#include "differences.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN void padici_codec_price_residuals(padici_codec_work *w, const padici_codec_box *box,
                                            const padici_codec_plan *start,
                                            const padici_codec_predictor *predictor);
PADICI_FN int padici_codec_follow_predictor(const padici_codec_work *w, const padici_codec_box *box,
                                            padici_codec_predictor *p);
PADICI_FN size_t padici_codec_begin_words(padici_codec_work *w, const padici_codec_box *box,
                                          const padici_codec_tolerance *tolerance,
                                          const padici_codec_transform *transform, int reference,
                                          padici_codec_plan *plan);
PADICI_FN void padici_codec_put_raw(padici_codec_work *w, const padici_codec_box *box);
PADICI_FN size_t padici_codec_pack_raw(padici_codec_work *w, const padici_codec_box *box);
PADICI_FN size_t padici_codec_pack_whole(padici_codec_work *w, const padici_codec_box *box,
                                         const padici_codec_tolerance *tolerance);

#endif
