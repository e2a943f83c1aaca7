#pragma once
#include "../core/platform.h"
#include "packing.h"

#ifndef PADIC_NO_CODEC

PADICI_FN padic_result padici_pack_blocks(padici_packing *packing, uint64_t first, uint64_t count,
                                          uint64_t *offsets);
PADICI_FN padic_result padici_emit_header(padici_packing *packing);
PADICI_FN padic_result padici_emit_index(padici_packing *packing, uint64_t *offsets,
                                         uint64_t blocks, uint64_t length);

#endif
