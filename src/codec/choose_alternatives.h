#pragma once
#include "../core/platform.h"
#include "choose_transform.h"
#include "differences.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN int padici_codec_stands_for(const padici_codec_box *box,
                                      const padici_codec_tolerance *tolerance, const uint8_t *a,
                                      const uint8_t *b, size_t all);
PADICI_FN int padici_codec_try_copy(padici_codec_work *w, const padici_codec_box *box,
                                    const padici_codec_tolerance *tolerance);
PADICI_FN void padici_codec_try_upper(padici_codec_work *w, const padici_codec_box *box);
PADICI_FN void padici_codec_try_split(padici_codec_work *w, const padici_codec_box *box,
                                      uint32_t split);
PADICI_FN void padici_codec_plain_words(padici_codec_work *w, const padici_codec_box *box);
PADICI_FN void padici_codec_put_plain(padici_codec_work *w, const padici_codec_box *box);
PADICI_FN void padici_codec_try_plain(padici_codec_work *w, const padici_codec_box *box);

#endif
