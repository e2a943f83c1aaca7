#pragma once
#include "../core/platform.h"
#include "packing.h"

#ifndef PADIC_NO_CODEC

PADICI_FN padic_result padici_codec_pack_blocks(padici_codec_packing *packing, uint64_t first,
                                                uint64_t count, uint64_t *offsets);
PADICI_FN padic_result padici_codec_output_header(padici_codec_packing *packing);
PADICI_FN padic_result padici_codec_output_index(padici_codec_packing *packing, uint64_t *offsets,
                                                 uint64_t blocks, uint64_t length);

#endif
