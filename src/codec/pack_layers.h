#pragma once
#include "../core/platform.h"
#include "differences.h"
#include "packing.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN PADICI_NOINLINE size_t padici_pack_layers(padici_packing *packing, padici_work *w,
                                                    uint64_t index, padici_box *box,
                                                    uint32_t *rows);
PADICI_FN void padici_keep_decoded(padici_packing *packing, padici_work *w, const padici_box *box,
                                   uint64_t index);
PADICI_FN void padici_take_hint(padici_packing *packing, padici_work *w, uint64_t index);

#endif
