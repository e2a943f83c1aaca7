#pragma once
#include "../core/platform.h"
#include "packing.h"

#ifndef PADIC_NO_CODEC

PADICI_FN double padici_codec_least_rms(const padic_codec_pack_desc *desc);
PADICI_FN PADICI_NOINLINE void padici_codec_search_rms(const padic_codec_pack_desc *desc,
                                                       padici_codec_packing *packing,
                                                       uint64_t *offsets);
PADICI_FN int padici_codec_search_fixed(const padic_codec_pack_desc *desc,
                                        padici_codec_packing *packing, uint64_t *offsets,
                                        uint64_t *size);

#endif
