#pragma once
#include "../core/platform.h"
#include "choose_transform.h"
#include "differences.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN uint32_t padici_codec_choose_columns(padici_codec_work *w, const padici_codec_box *box);
PADICI_FN size_t padici_codec_pack_columns(padici_codec_work *w, const padici_codec_box *box,
                                           const padici_codec_tolerance *tolerance,
                                           uint32_t columns, size_t whole);
PADICI_FN uint64_t padici_codec_columns_differ(padici_codec_work *w, const padici_codec_box *box,
                                               uint32_t columns);

#endif
