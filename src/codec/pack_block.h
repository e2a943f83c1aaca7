#pragma once
#include "../core/platform.h"
#include "choose_transform.h"
#include "differences.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN void padici_codec_put_raw(padici_codec_work *w, const padici_codec_box *box);
PADICI_FN size_t padici_codec_pack_raw(padici_codec_work *w, const padici_codec_box *box);
PADICI_FN size_t padici_codec_pack_whole(padici_codec_work *w, const padici_codec_box *box,
                                         const padici_codec_tolerance *tolerance);

#endif
