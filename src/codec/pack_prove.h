#pragma once
#include "../core/platform.h"
#include "choose_form.h"
#include "differences.h"
#include "packing.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN double padici_differ(const padici_box *box, const uint8_t *a, const uint8_t *b,
                               int squares);

// The elements in w->raw as they are, in place of what did not come back. Tests end there.
#ifndef PADICI_REENCODED
#define PADICI_REENCODED ((void)0)
#endif

PADICI_FN size_t padici_reencode(padici_work *w, const padici_box *box);
PADICI_FN PADICI_NOINLINE size_t padici_prove_block(const padici_packing *packing, padici_work *w,
                                                    const padici_box *box,
                                                    const padici_bound *bound, uint64_t index,
                                                    size_t size);

#endif
