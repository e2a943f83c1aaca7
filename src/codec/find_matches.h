#pragma once
#include "../core/platform.h"
#include "../core/words.h"
#include "bytes.h"
#include "bytes_repeats.h"
#include "transforms.h"

#ifndef PADIC_NO_CODEC

#define PADICI_CODEC_MATCH_BITS 17u

typedef struct padici_codec_matcher {
    const uint8_t *raw; // `past` elements of the window, then n of the block
    size_t past, n;
    uint32_t size;          // of an element, whose bits in `mask` must be equal;
    uint64_t mask;          // repeated to 64 bits
    uint32_t *head, *chain; // of the block's elements,
    uint32_t *past_head, *past_chain; // and of the window's
    uint32_t key;                   // number of elements hashed
    uint32_t shift, past_shift; // of the hashes: the fewer elements, the smaller the table
    uint32_t depth;        // places searched per element
    const uint32_t *price; // of the block's words before this one, as literals
    size_t indexed;        // elements already in the block's chains
} padici_codec_matcher;

// Hash of `key` elements from i on, of their bits in `mask`; `shift` leaves the highest.
PADICI_INLINE uint32_t padici_codec_hash_elements(const uint8_t *raw, size_t i, uint32_t size,
                                                  uint64_t mask, uint32_t key, uint32_t shift)
{
    uint64_t h = (padici_codec_element(raw, i, size) & mask) * UINT64_C(0x9e3779b97f4a7c15);
    if (key > 1)
        h = (h ^ h >> 32 ^ (padici_codec_element(raw, i + 1, size) & mask)) *
            UINT64_C(0xc2b2ae3d27d4eb4f);
    if (key > 2)
        h = (h ^ h >> 32 ^ (padici_codec_element(raw, i + 2, size) & mask)) *
            UINT64_C(0x165667b19e3779f9);
    if (key > 3) { // 6
        h ^= (padici_codec_element(raw, i + 3, size) & mask) << 32;
        h += (padici_codec_element(raw, i + 4, size) & mask) << 16;
        h = (h ^ h >> 32 ^ (padici_codec_element(raw, i + 5, size) & mask)) *
            UINT64_C(0xc2b2ae3d27d4eb4f);
    }
    return (uint32_t)(h >> shift);
}

PADICI_FN PADICI_NOINLINE size_t padici_codec_index_window(const padici_codec_matcher *s,
                                                           size_t from, size_t step);

// Approximate cost of a repeat: its entries in three lists.
PADICI_INLINE uint32_t padici_codec_match_price(size_t distance, size_t length,
                                                const size_t last[2])
{
    const uint32_t price = 112 + 16 * padici_codec_bit_length(length);
    if (distance == last[0]) return price;
    if (distance == last[1]) return price + 32;
    return price + 64 + 16 * padici_codec_bit_length(distance);
}

// Lists of repeats, coded.
typedef struct padici_codec_matches {
    uint64_t *runs, *lengths, *distances;
    size_t count, from; // start of the current literals
    size_t last[2];
    int64_t gain; // in 1/16 bits, of a greedy parse
} padici_codec_matches;

PADICI_FN PADICI_NOINLINE void padici_codec_parse_greedy(padici_codec_matcher *s, int lazy,
                                                         padici_codec_matches *list);

// Level 1 searches the elements themselves. A repeat must also save, for the time it takes, the
// packed size of this many bits of elements.
#define PADICI_CODEC_REPEAT_TIME 24u

typedef struct padici_codec_fast {
    uint32_t *head, size, log, each, pays; // of an element; prices of a word and of time
    uint32_t key, high, shift; // words that are hashed: those that pay, up to 16 bytes
    uint64_t mask;
} padici_codec_fast;

PADICI_FN void padici_codec_fast_begin(padici_codec_fast *f, uint32_t *head, uint32_t bits,
                                       uint32_t size, uint32_t each);

PADICI_INLINE uint32_t *padici_codec_fast_place(const padici_codec_fast *f, const uint8_t *p)
{
    uint64_t h = (padici_load64(p) & f->mask) * UINT64_C(0x9e3779b97f4a7c15);
    if (f->high) h += padici_load64(p + f->high) * UINT64_C(0xc2b2ae3d27d4eb4f);
    return f->head + (h >> f->shift);
}

// The saving of a repeat of element i, in 1/16 bits; `back`: it began so much earlier.
PADICI_INLINE uint64_t padici_codec_fast_gain(const padici_codec_fast *f, const uint8_t *raw,
                                              size_t i, size_t from, size_t end, size_t distance,
                                              const size_t last[2], size_t *length, size_t *back)
{
    const uint8_t *const x = raw + (i << f->log), *y;
    uint64_t saved, price;
    if (distance - 1 >= i) return 0; // or 0
    y = x - (distance << f->log);
    if ((padici_load64(x) ^ padici_load64(y)) & f->mask) return 0;
    *length = padici_codec_equal_bytes(x, y, (end - i) << f->log) >> f->log;
    for (*back = 0; i - *back > from && i - *back > distance; ++*back)
        if (padici_codec_element(raw, i - *back - 1, f->size) !=
            padici_codec_element(raw, i - *back - 1 - distance, f->size))
            break;
    *length += *back;
    saved = (uint64_t)*length * f->each;
    price = f->pays + padici_codec_match_price(distance, *length, last);
    return saved > price ? saved - price : 0;
}

PADICI_FN PADICI_NOINLINE void padici_codec_parse_fast(const padici_codec_fast *f,
                                                       const uint8_t *raw, size_t n,
                                                       padici_codec_matches *list);
PADICI_FN PADICI_NOINLINE void padici_codec_parse_cheapest(padici_codec_matcher *s, uint64_t *price,
                                                           uint64_t *arrival, uint64_t *lasts,
                                                           padici_codec_matches *list);

#endif
