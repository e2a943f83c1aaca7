#pragma once
#include "../core/platform.h"
#include "differences.h"
#include "packing.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN int padici_in_turn(const padici_packing *packing);
PADICI_FN uint32_t padici_load_block(const padici_packing *packing, uint64_t index, uint8_t *raw,
                                     padici_box *box);
PADICI_FN uint32_t padici_load_behind(const padici_packing *packing, padici_work *w, uint64_t index,
                                      padici_box *box);
PADICI_FN void padici_load_kept(padici_packing *packing, const padici_work *w, uint64_t index);

#endif
