#pragma once
#include "../core/platform.h"
#include "block_decode.h"
#include "bytes.h"
#include "differences.h"
#include "transforms.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

// Elements of a super-block, as a logarithm, where the level has no window of its own; at most 64
// blocks. Within a tolerance twice as many.
#define PADICI_CODEC_WINDOW_LOG 19u
#define PADICI_CODEC_WINDOW_MOST 64u

PADICI_FN uint32_t padici_codec_reach(const uint8_t *payload, size_t size);
PADICI_FN void padici_codec_expand_matches(padici_codec_reader *in, const uint8_t *literals,
                                           size_t m, uint64_t *lists, size_t third, size_t q,
                                           size_t past, const uint8_t *end, uint8_t *to, size_t n,
                                           uint32_t size);

// With a split the lowest bits of a copied element are stored relative to its source: they differ
// in the sign, the lowest bit of FIELDS, and slightly in the bits above it.
PADICI_INLINE uint32_t padici_codec_low_apart(uint32_t low, uint32_t source, uint32_t split)
{
    const uint32_t top = split - 1, mask = (1u << top) - 1;
    const uint32_t up = ((low >> 1) - (source >> 1)) & mask, half = top ? 1u << (top - 1) : 0;
    const uint32_t folded = up < half ? 2 * up : up > half ? 2 * (mask - up) + 1 : up ? mask : 0;
    return folded << 1 | ((low ^ source) & 1);
}

PADICI_FN void padici_codec_join_split(const padici_codec_transform *transform, uint32_t split,
                                       uint64_t *words, const uint8_t *low, size_t plane, size_t n);
PADICI_FN void padici_codec_column_box(const padici_codec_box *box, uint32_t columns, uint32_t k,
                                       padici_codec_box *column);
PADICI_FN padic_dtype padici_codec_plain_dtype(uint32_t size);
PADICI_FN int padici_codec_take_block(padici_codec_work *w, const padici_codec_box *box,
                                      const uint8_t *payload, size_t size, padici_codec_plan *plan,
                                      padici_codec_histogram *histogram);

#endif
