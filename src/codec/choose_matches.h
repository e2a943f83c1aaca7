#pragma once
#include "../core/platform.h"
#include "block_decode.h"
#include "differences.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN uint32_t padici_widest_split(const padici_box *box);
PADICI_FN void padici_make_keys(padici_work *w, const padici_box *box, uint32_t split);
PADICI_FN size_t padici_pick(const padici_work *w, const padici_box *box, const uint8_t *raw,
                             uint32_t *picks);

// Which of the splits 0, 1 and 9 bits this is.
#define PADICI_SPLIT_INDEX(split) (((split) + 7) >> 3)

PADICI_FN void padici_probe_matches(padici_work *w, const padici_box *box);
PADICI_FN PADICI_NOINLINE void padici_price_words(padici_work *w, const uint64_t *z, size_t n);
PADICI_FN PADICI_NOINLINE void padici_try_matches(padici_work *w, const padici_box *box,
                                                  const padici_plan *start, const uint64_t *words,
                                                  uint32_t split);
PADICI_FN int padici_worth_matches(padici_work *w, const padici_box *box, uint32_t split);

#endif
