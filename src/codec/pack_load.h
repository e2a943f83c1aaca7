#pragma once
#include "../core/platform.h"
#include "differences.h"
#include "packing.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN int padici_codec_in_turn(const padici_codec_packing *packing);
PADICI_FN uint32_t padici_codec_load_block(const padici_codec_packing *packing, uint64_t index,
                                           uint8_t *raw, padici_codec_box *box);
PADICI_FN uint32_t padici_codec_load_behind(const padici_codec_packing *packing,
                                            padici_codec_work *w, uint64_t index,
                                            padici_codec_box *box);
PADICI_FN void padici_codec_load_kept(padici_codec_packing *packing, const padici_codec_work *w,
                                      uint64_t index);

#endif
