#pragma once
#include "../core/platform.h"
#include "choose_transform.h"
#include "differences.h"
#include "packing.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN double padici_codec_differ(const padici_codec_box *box, const uint8_t *a,
                                     const uint8_t *b, int squares);

// Stores the elements in w->raw raw, in place of a payload that failed the proof; tests define the
// macro to stop there.
#ifndef PADICI_CODEC_REENCODED
#define PADICI_CODEC_REENCODED ((void)0)
#endif

PADICI_FN size_t padici_codec_reencode(padici_codec_work *w, const padici_codec_box *box);
PADICI_FN PADICI_NOINLINE size_t padici_codec_prove_block(const padici_codec_packing *packing,
                                                          padici_codec_work *w,
                                                          const padici_codec_box *box,
                                                          const padici_codec_tolerance *tolerance,
                                                          uint64_t index, size_t size);

#endif
