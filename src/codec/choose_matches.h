#pragma once
#include "../core/platform.h"
#include "block_decode.h"
#include "differences.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN uint32_t padici_codec_widest_split(const padici_codec_box *box);
PADICI_FN void padici_codec_make_keys(padici_codec_work *w, const padici_codec_box *box,
                                      uint32_t split);
PADICI_FN size_t padici_codec_pick_elements(const padici_codec_work *w, const padici_codec_box *box,
                                            const uint8_t *raw, uint32_t *picks);

PADICI_FN size_t padici_codec_pick_past(const padici_codec_work *w, const padici_codec_box *box,
                                        const uint8_t *raw, size_t start, uint32_t *picks);

// The index of a split of 0, 1 or 9 bits.
#define PADICI_CODEC_SPLIT_INDEX(split) (((split) + 7) >> 3)

PADICI_FN void padici_codec_probe_matches(padici_codec_work *w, const padici_codec_box *box);
PADICI_FN PADICI_NOINLINE void padici_codec_price_words(padici_codec_work *w, const uint64_t *z,
                                                        size_t n);
PADICI_FN PADICI_NOINLINE void padici_codec_try_matches(padici_codec_work *w,
                                                        const padici_codec_box *box,
                                                        const padici_codec_plan *start,
                                                        const uint64_t *words, uint32_t split);
PADICI_FN int padici_codec_worth_matches(padici_codec_work *w, const padici_codec_box *box,
                                         uint32_t split);

#endif
