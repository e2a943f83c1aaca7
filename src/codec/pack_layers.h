#pragma once
#include "../core/platform.h"
#include "differences.h"
#include "packing.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN PADICI_NOINLINE size_t padici_codec_pack_layers(padici_codec_packing *packing,
                                                          padici_codec_work *w, uint64_t index,
                                                          padici_codec_box *box, uint32_t *rows);
PADICI_FN void padici_codec_keep_decoded(padici_codec_packing *packing, padici_codec_work *w,
                                         const padici_codec_box *box, uint64_t index);
PADICI_FN int padici_codec_hints(const padici_codec_packing *packing);
PADICI_FN uint32_t padici_codec_hint_place(const padici_codec_packing *packing, uint64_t index);
PADICI_FN void padici_codec_take_hint(padici_codec_packing *packing, padici_codec_work *w,
                                      uint64_t index);

#endif
